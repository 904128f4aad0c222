package healthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Metav1Object is an object with metav1 conditions in status.conditions, as the
// Kubernetes API conventions have it: a list map with the key type.
type Metav1Object interface {
	client.Object
	GetConditions() []metav1.Condition
}

// Metav1Store keeps conditions as metav1.Condition in status.conditions of
// objects with a status subresource. Progressing is stored as Unknown, and codes
// are left out, since the type has no place for them.
//
// It writes by server-side apply under FieldOwner: no read-modify-write, no
// conflicts with the writers of other conditions. It removes by a patch that is
// bound to the object's resource version, so that a condition goes as a whole
// even if other writers own a part of it; the API server refuses it with a
// conflict if the object has changed since it was read.
type Metav1Store[T Metav1Object] struct {
	// Client writes the status.
	Client client.Client
	// FieldOwner is the name under which the conditions are owned. It must be
	// unique for each set of conditions; two stores with one owner would take
	// each other's conditions away.
	FieldOwner string
}

var _ Store[Metav1Object] = Metav1Store[Metav1Object]{}

// Get implements Store.
func (s Metav1Store[T]) Get(obj T) []Condition {
	stored := obj.GetConditions()
	conditions := make([]Condition, len(stored))
	for i, c := range stored {
		conditions[i] = Condition{
			Type: c.Type, Status: Status(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		}
	}
	return conditions
}

// Normalize implements Store.
func (s Metav1Store[T]) Normalize(c Condition) Condition {
	c.Codes = nil
	if c.Status == Progressing {
		c.Status = Unknown
	}
	return c
}

// Apply implements Store.
func (s Metav1Store[T]) Apply(ctx context.Context, obj T, conditions []Condition) error {
	list := make([]any, len(conditions))
	for i, c := range conditions {
		list[i] = s.fields(c)
	}
	gvk, err := s.Client.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": list}}}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(obj.GetNamespace())
	u.SetName(obj.GetName())
	// The UID makes the write fail if another object took the name meanwhile.
	u.SetUID(obj.GetUID())
	err = s.Client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(s.FieldOwner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("writing conditions of %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

func (s Metav1Store[T]) fields(c Condition) map[string]any {
	c = s.Normalize(c)
	fields := map[string]any{
		"type":               c.Type,
		"status":             string(c.Status),
		"reason":             c.Reason,
		"message":            c.Message,
		"lastTransitionTime": metav1.NewTime(c.LastTransitionTime).UTC().Format("2006-01-02T15:04:05Z"),
	}
	if c.ObservedGeneration > 0 {
		fields["observedGeneration"] = c.ObservedGeneration
	}
	return fields
}

// Remove implements Store.
func (s Metav1Store[T]) Remove(ctx context.Context, obj T, conditionTypes []string) error {
	stored := obj.GetConditions()
	kept := slices.DeleteFunc(slices.Clone(stored), func(c metav1.Condition) bool {
		return slices.Contains(conditionTypes, c.Type)
	})
	if len(kept) == len(stored) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": obj.GetResourceVersion()},
		"status":   map[string]any{"conditions": kept},
	})
	if err != nil {
		return fmt.Errorf("encoding the conditions of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	target := &unstructured.Unstructured{}
	gvk, err := s.Client.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	target.SetGroupVersionKind(gvk)
	target.SetNamespace(obj.GetNamespace())
	target.SetName(obj.GetName())
	if err := s.Client.Status().Patch(ctx, target, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(s.FieldOwner)); err != nil {
		return fmt.Errorf("removing conditions of %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}
