package healthcheck

import (
	"context"
	"time"
)

// Input is what a check gets to see in one run. It is made anew for each run and
// belongs to it alone; a check must not change Object.
type Input[T any] struct {
	// Object is the object to check, as the engine read it.
	Object T
	// Now is the one moment at which everything in this run is judged.
	Now time.Time
	// Current is the condition as it is stored on the object, or nil if there is
	// none. A check whose answer depends on its last one finds it here, so that
	// nothing has to be remembered in memory.
	Current *Condition
	// Env has what the check has declared to need. The rest of it is empty.
	Env Env
}

// Check examines one object. Implementations are called from several goroutines
// at once and must not keep state between runs.
//
// An error means that the check could not be carried out. The condition then
// becomes Unknown with ReasonCheckFailed and the error's text as its message, and
// the engine tries again with back-off. The text must be the same for the same
// problem, as that of Result.Message. An unhealthy object is not an error.
//
// The context ends at the check's timeout; a check should stop then.
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
// answer that is none of these makes the condition Unknown, unless
// ConditionChecks.WhileUndecided says otherwise; other conditions are not affected. The
// engine tries again with back-off. The timeout of a check holds for a precheck too.
type Precheck[T any] func(ctx context.Context, in Input[T]) (Applicability, error)
