package healthcheck

import (
	"context"
	"slices"
	"time"
)

// Input is what a check sees in one run. Each run has its own. A check must not change
// Object.
type Input[T any] struct {
	// Object is the object to check, as the engine read it.
	Object T
	// Now is the time at which everything in this run is judged.
	Now time.Time
	// Current is the condition stored on the object, or nil if there is none. A check whose
	// answer depends on its previous one finds it here, so it need not keep anything in
	// memory.
	Current *Condition
	// Env holds what the check declared in its Needs. Everything else in it is empty.
	Env Env
}

// Check examines one object. Implementations must be safe for concurrent use, and must not
// keep state between runs.
//
// An error means that the check could not be carried out. The condition then becomes
// Unknown with ReasonCheckFailed and the error's text as its message, and the engine
// retries with back-off. Like Result.Message, the text must be the same for the same
// problem. An unhealthy object is not an error.
//
// The context ends at the check's timeout; the check should then return.
type Check[T any] interface {
	Check(ctx context.Context, in Input[T]) (Result, error)
}

// Validator is an optional interface of a Check, and of Targets. A registration with one that is not valid is refused; the error
// completes a sentence that names the check, such as "its Timeout is negative".
type Validator interface {
	Validate() error
}

// CheckFunc adapts a function to a Check.
type CheckFunc[T any] func(ctx context.Context, in Input[T]) (Result, error)

// Check calls f.
func (f CheckFunc[T]) Check(ctx context.Context, in Input[T]) (Result, error) {
	return f(ctx, in)
}

// Applicability is the answer of a Precheck.
type Applicability int

const (
	// Applies runs the checks and writes the condition.
	Applies Applicability = iota
	// LeaveAlone runs nothing and leaves a stored condition as it is.
	LeaveAlone
	// DoesNotApply runs nothing and removes the condition.
	DoesNotApply
)

// Precheck reports whether a condition applies to an object at all. An error, a panic or an
// undefined Applicability makes the condition Unknown, unless
// ConditionChecks.WhileUndecided says otherwise; other conditions are not affected. The
// engine retries with back-off. A precheck has the same timeout as a check. It is called whenever the engine looks at the
// object. If its answer depends on something that nothing watches, PrecheckNeeds or SyncPeriod must lead to a look; one that
// depends on the time alone belongs into Registration.Precheck, which says when its answer changes.
type Precheck[T any] func(ctx context.Context, in Input[T]) (Applicability, error)

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

// Witness is an optional interface of a Store that shows what others write. Only with such a Store does the engine give way
// when two contest a condition, and name the other: see Registration.Recorder.
type Witness[T any] interface {
	// OtherWriter returns the name of the last other writer of a condition on obj; it is empty if nobody is known. It must
	// not do I/O.
	OtherWriter(obj T, conditionType string) string
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

// conventional is a Metav1Store for a T that is known only at run time to have GetConditions: see Registration.Store.
type conventional[T any] struct{ Metav1Store[Metav1Object] }

func (s conventional[T]) object(obj T) Metav1Object { return any(obj).(Metav1Object) }

// Get implements Store.
func (s conventional[T]) Get(obj T) []Condition { return s.Metav1Store.Get(s.object(obj)) }

// Apply implements Store.
func (s conventional[T]) Apply(ctx context.Context, obj T, conditions []Condition) error {
	return s.Metav1Store.Apply(ctx, s.object(obj), conditions)
}

// Remove implements Store.
func (s conventional[T]) Remove(ctx context.Context, obj T, types []string) error {
	return s.Metav1Store.Remove(ctx, s.object(obj), types)
}

// Wrote implements Pruner.
func (s conventional[T]) Wrote(obj T, types []string) []string {
	return s.Metav1Store.Wrote(s.object(obj), types)
}

// OtherWriter implements Witness.
func (s conventional[T]) OtherWriter(obj T, conditionType string) string {
	return s.Metav1Store.OtherWriter(s.object(obj), conditionType)
}
