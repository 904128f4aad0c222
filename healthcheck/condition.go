package healthcheck

import (
	"context"
	"slices"
	"time"
)

// Condition is a merged result as it is stored on an object.
type Condition struct {
	// Type names the condition, unique on its object.
	Type string
	// Status, Reason, Message and Codes are those of the merged result.
	Status  Status
	Reason  string
	Message string
	Codes   []string
	// ObservedGeneration is the metadata.generation that was judged. While Damping holds a
	// condition up it is that of what is stored.
	ObservedGeneration int64
	// LastTransitionTime is when Status last changed. It has a resolution of one
	// second, as times in the Kubernetes API have.
	LastTransitionTime time.Time
}

// equalButWords reports whether c and other have the same status of the same generation.
func (c Condition) equalButWords(other Condition) bool {
	return c.Type == other.Type && c.Status == other.Status && c.ObservedGeneration == other.ObservedGeneration
}

// equalButMessage reports whether c and other say the same, in whatever words, and regardless of when they began.
func (c Condition) equalButMessage(other Condition) bool {
	return c.equalButWords(other) && c.Reason == other.Reason && slices.Equal(c.Codes, other.Codes)
}

// Store reads and writes the conditions of objects of type T. [Metav1Store] is the
// one for metav1.Condition; implement it to use the engine with another type.
//
// Implementations must be safe for concurrent use.
type Store[T any] interface {
	// Get returns the conditions stored on obj. It does no I/O.
	Get(obj T) []Condition
	// Normalize returns c as Get would return it once written, for example
	// without codes if the stored type has no place for them. The engine compares
	// normalized conditions, so that it writes only what changed.
	Normalize(c Condition) Condition
	// Apply makes conditions the complete set that the caller has on obj.
	// Conditions of other writers stay as they are. Apply and Remove give obj the
	// resource version that their write led to; the engine then waits until its
	// cache has seen the write before it looks at the object again.
	Apply(ctx context.Context, obj T, conditions []Condition) error
	// Remove takes the conditions with the given types from obj. It is not an
	// error if there are none.
	Remove(ctx context.Context, obj T, types []string) error
}

// Pruner is what a Store may be, too: one that knows what it wrote. The engine removes
// conditions of types that are registered no more, if the Store has written them.
type Pruner[T any] interface {
	// Wrote returns those of the given condition types that the Store wrote on obj, be
	// it in an earlier process. It does no I/O.
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
