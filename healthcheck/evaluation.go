package healthcheck

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"
)

// Evaluation is what the engine finds for one object, and would store.
type Evaluation struct {
	// Conditions are those that the registration would store on the object, in the registration's order.
	Conditions []Condition
	// Removed lists the types of conditions that would be removed.
	Removed []string
	// RecheckAt is when the engine looks again because a condition changes by itself. Zero means on an event, or after the
	// sync period.
	RecheckAt time.Time
}

// Evaluate checks an object as Reconcile does, and writes nothing: no condition, no clock, no Event and no metric. It runs all
// checks, including those whose last result Reconcile would reuse (NamedCheck.Interval). It is for previews, commands and
// tests. Obj need not exist in a cluster; the engine meets the needs of its checks as in Reconcile. Fields that only
// AddToManager or Reconcile uses may be unset: the default Clock is the real one, and the clocks of progress come from the
// default ProgressStore.
//
// The error says what could not be carried out. The conditions say so too, except those that a LaterError leaves as they are.
// The evaluation is complete even with an error. It is empty only if ctx was cancelled, or the registration has no Store.
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
