package healthcheck

import (
	"cmp"
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

// ProgressAnnotation is the prefix of the annotation that AnnotationProgress writes. The
// name of the registration follows, or a hash of it if the name is not valid in an
// annotation.
const ProgressAnnotation = "progress.healthcheck.sickbay.dev/"

// AnnotationProgress keeps clocks in an annotation of the object. It writes the annotation
// only when a progress begins or ends; that needs the permission to patch the object. It
// treats an annotation that cannot be parsed as missing: the clocks start again.
type AnnotationProgress[T client.Object] struct {
	// Client writes the annotation.
	Client client.Client
	// Name distinguishes the annotations of several registrations.
	Name string
	// FormerNames are names that it had before. Load returns their clocks as long as there are none under Name, and Save
	// removes their annotations.
	FormerNames []string
}

var _ ProgressStore[client.Object] = AnnotationProgress[client.Object]{}

// clockValue is the stored form of one clock.
type clockValue struct {
	Since time.Time `json:"since"`
	Seen  int       `json:"seen,omitempty"`
}

// separator never occurs in a condition type that follows the API conventions.
const separator = "|"

// name returns Name as it is in the annotation.
func (s AnnotationProgress[T]) name() string { return annotated(s.Name) }

// annotated returns a name if it is valid in an annotation, or else a hash of it.
func annotated(name string) string {
	if len(validation.IsQualifiedName(ProgressAnnotation+name)) == 0 {
		return name
	}
	return fmt.Sprintf("%x", sha256.Sum224([]byte(name)))
}

// stored returns the annotation with the clocks: the own one, or else the first of a former name.
func (s AnnotationProgress[T]) stored(obj T) string {
	annotations := obj.GetAnnotations()
	value := annotations[ProgressAnnotation+s.name()]
	for _, former := range s.FormerNames {
		value = cmp.Or(value, annotations[ProgressAnnotation+annotated(former)])
	}
	return value
}

// Load implements ProgressStore.
func (s AnnotationProgress[T]) Load(obj T) []Progress {
	stored := map[string]clockValue{}
	if json.Unmarshal([]byte(s.stored(obj)), &stored) != nil {
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
	annotations := map[string]any{}
	for _, former := range s.FormerNames {
		annotations[ProgressAnnotation+annotated(former)] = nil
	}
	annotations[ProgressAnnotation+s.name()] = value
	metadata := map[string]any{"uid": obj.GetUID(), "annotations": annotations}
	if version := obj.GetResourceVersion(); version != "" {
		metadata["resourceVersion"] = version
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encoding the progress of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	if s.Client == nil {
		return fmt.Errorf("keeping the progress of %s: the AnnotationProgress has no Client", client.ObjectKeyFromObject(obj))
	}
	// The checks judged obj as it was read, so it must not change.
	written := obj.DeepCopyObject().(client.Object)
	if err := s.Client.Patch(ctx, written, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(s.name())); err != nil {
		return fmt.Errorf("keeping the progress of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	obj.SetResourceVersion(written.GetResourceVersion())
	return nil
}

// Progress is a clock: it says since when a check has seen something progress. Each cause of each check
// has its own. It starts when the check first gives the cause, keeps running while the check fails, cannot
// be carried out or gives another cause, and ends when the check passes. So alternating answers do not
// reset it, a second cause does not inherit the time of the first, and a new cause gets the full time even
// after another has failed. After eight causes without a pass in between, all others share one clock. A clock
// that runs out begins again if Result.Left is less than when it began.
//
// A Progress without a Check is about the condition as a whole (see Damping), and its Cause is the status
// that the condition is to change to.
type Progress struct {
	// Condition and Check identify the check.
	Condition, Check string
	// Cause is Result.Cause, or else Result.Reason.
	Cause string
	// Since is when the clock began, to the second.
	Since time.Time
	// Seen is how often the cause was seen, for Damping, and otherwise Result.Left when the clock began.
	Seen int
}

// ProgressStore keeps clocks on the object, so that they survive a restart. [AnnotationProgress] is one.
//
// Implementations must be safe for concurrent use.
type ProgressStore[T any] interface {
	// Load returns the clocks stored on obj. It must not do I/O.
	Load(obj T) []Progress
	// Save replaces the clocks, and sets the resource version of obj to that of the written object. The
	// engine calls it before it writes the conditions. If obj has a resource version, and the object has
	// changed since, Save must fail with a conflict: otherwise a Store that relies on the new version
	// would overwrite changes of others. If obj has none, Save writes in any case; the engine does this
	// for an object that changes all the time.
	Save(ctx context.Context, obj T, progress []Progress) error
}
