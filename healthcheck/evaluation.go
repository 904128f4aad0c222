package healthcheck

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"
)

// Evaluation is what the engine finds out about one object, and would store.
type Evaluation struct {
	// Conditions are those that the object would have from this registration, in its order.
	Conditions []Condition
	// Removed are the types of conditions that would be removed.
	Removed []string
	// RecheckAt is when the engine looks again, because one of the conditions changes by
	// itself then; zero means on an event, or after the sync period.
	RecheckAt time.Time
}

// Evaluate checks an object as Reconcile does, and writes nothing: no condition, no clock, no Event and no metric. It runs all
// checks, also those of which Reconcile would use the last result (NamedCheck.Interval). It is for previews, commands and
// tests. Obj need not be stored anywhere; what its checks need is met as for Reconcile. A field of r that only AddToManager or
// Reconcile takes need not be set: the clock is the real one by default, and the clocks of progress are those of the default
// ProgressStore.
//
// The error is about what could not be carried out. The conditions say so too, unless a LaterError leaves them as they are,
// and the evaluation is complete. Only if ctx was cancelled it is empty.
func (r *Reconciler[T]) Evaluate(ctx context.Context, obj T) (Evaluation, error) {
	var clocked clock.PassiveClock = clock.RealClock{}
	if r.Clock != nil {
		clocked = r.Clock
	}
	clocks := r.Progress
	if clocks == nil {
		clocks = AnnotationProgress[T]{Name: r.Name}
	}
	run := r.newRun(obj, clocks, &r.previewed, clocked.Now())
	run.unmeasured = true
	p, err := r.plan(ctx, run)
	if err != nil {
		return Evaluation{}, err
	}
	return Evaluation{Conditions: p.apply, Removed: p.remove, RecheckAt: p.due(run.in.Now)}, errors.Join(p.later, p.failed)
}
