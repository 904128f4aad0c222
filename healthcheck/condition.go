package healthcheck

import (
	"context"
	"slices"
	"time"
)

// Condition is a merged result as stored on an object.
type Condition struct {
	// Type is the type of the condition, unique on its object.
	Type string
	// Status, Reason, Message and Codes are those of the merged result.
	Status  Status
	Reason  string
	Message string
	Codes   []string
	// ObservedGeneration is the metadata.generation that was judged. While Damping delays a change, it is that of
	// the stored condition.
	ObservedGeneration int64
	// LastTransitionTime is when Status last changed, to the second, like all times in the Kubernetes API.
	LastTransitionTime time.Time
}

// equalButWords reports whether c and other have the same status of the same generation.
func (c Condition) equalButWords(other Condition) bool {
	return c.Type == other.Type && c.Status == other.Status && c.ObservedGeneration == other.ObservedGeneration
}

// equalButMessage reports whether c and other are the same except for their messages and transition times.
func (c Condition) equalButMessage(other Condition) bool {
	return c.equalButWords(other) && c.Reason == other.Reason && slices.Equal(c.Codes, other.Codes)
}

// Store reads and writes the conditions of objects of type T. [Metav1Store] is the one for metav1.Condition;
// implement Store to use the engine with another condition type.
//
// Implementations must be safe for concurrent use.
type Store[T any] interface {
	// Get returns the conditions stored on obj. It must not do I/O.
	Get(obj T) []Condition
	// Normalize returns c as Get would return it after a write, for example without codes if the stored type has
	// no place for them. The engine compares normalized conditions, so that it writes only what changed.
	Normalize(c Condition) Condition
	// Apply makes conditions the caller's complete set on obj. It leaves conditions of other writers alone. Apply
	// and Remove set the resource version of obj to that of the written object; the engine then waits until its
	// cache has seen the write before it looks at the object again.
	Apply(ctx context.Context, obj T, conditions []Condition) error
	// Remove removes the conditions of the given types from obj. Types that obj does not have are no error.
	Remove(ctx context.Context, obj T, types []string) error
}

// Pruner is an optional interface of a Store that knows what it wrote. The engine removes conditions that the
// Store wrote if their types are no longer registered.
type Pruner[T any] interface {
	// Wrote returns those of the given condition types that the Store wrote on obj, in this process or an earlier
	// one. It must not do I/O.
	Wrote(obj T, types []string) []string
}

// find returns the condition of the given type, or nil.
func find(conditions []Condition, conditionType string) *Condition {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}
