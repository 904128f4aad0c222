package healthcheck

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ProgressAnnotation begins the name of the annotation of AnnotationProgress. The
// rest is the name of the registration, or a hash of it if no annotation can have it.
const ProgressAnnotation = "progress.healthcheck.sickbay.dev/"

// AnnotationProgress keeps clocks in an annotation of the object. It is written only
// when a progress begins or ends, which takes the permission to patch the object. An
// annotation that cannot be read counts as none: the clocks begin anew.
type AnnotationProgress[T client.Object] struct {
	// Client writes the annotation.
	Client client.Client
	// Name makes the annotation one of its own for each registration.
	Name string
}

var _ ProgressStore[client.Object] = AnnotationProgress[client.Object]{}

// clockValue is what the annotation has for each clock.
type clockValue struct {
	Since time.Time `json:"since"`
	Seen  int       `json:"seen,omitempty"`
}

// separator is in no name of a condition type, as the API conventions have it.
const separator = "|"

// name is Name as an annotation can have it.
func (s AnnotationProgress[T]) name() string {
	if len(validation.IsQualifiedName(ProgressAnnotation+s.Name)) == 0 {
		return s.Name
	}
	return fmt.Sprintf("%x", sha256.Sum224([]byte(s.Name)))
}

// Load implements ProgressStore.
func (s AnnotationProgress[T]) Load(obj T) []Progress {
	stored := map[string]clockValue{}
	if json.Unmarshal([]byte(obj.GetAnnotations()[ProgressAnnotation+s.name()]), &stored) != nil {
		return nil
	}
	var progress []Progress
	for key, value := range stored {
		conditionType, rest, _ := strings.Cut(key, separator)
		check, cause, found := strings.Cut(rest, separator)
		if found && !value.Since.IsZero() {
			progress = append(progress, Progress{Condition: conditionType, Check: check, Cause: cause, Since: value.Since, Seen: value.Seen})
		}
	}
	slices.SortFunc(progress, comparePerCheck)
	return progress
}

// Save implements ProgressStore.
func (s AnnotationProgress[T]) Save(ctx context.Context, obj T, progress []Progress) error {
	var value any
	if len(progress) > 0 {
		stored := map[string]clockValue{}
		for _, p := range progress {
			stored[strings.Join([]string{p.Condition, p.Check, p.Cause}, separator)] = clockValue{p.Since.UTC(), p.Seen}
		}
		encoded, err := json.Marshal(stored)
		if err != nil {
			return fmt.Errorf("encoding the progress of %s: %w", client.ObjectKeyFromObject(obj), err)
		}
		value = string(encoded)
	}
	metadata := map[string]any{"uid": obj.GetUID(), "annotations": map[string]any{ProgressAnnotation + s.name(): value}}
	if version := obj.GetResourceVersion(); version != "" {
		metadata["resourceVersion"] = version
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encoding the progress of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	// The checks judged obj as it was read; it stays so.
	written := obj.DeepCopyObject().(client.Object)
	if err := s.Client.Patch(ctx, written, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(s.name())); err != nil {
		return fmt.Errorf("keeping the progress of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	obj.SetResourceVersion(written.GetResourceVersion())
	return nil
}
