package healthcheck

import (
	"context"
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
// engine retries with back-off. A precheck has the same timeout as a check.
type Precheck[T any] func(ctx context.Context, in Input[T]) (Applicability, error)
