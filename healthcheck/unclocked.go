package healthcheck

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// clockError says that the clocks could not be stored. Nothing else was written then.
type clockError struct{ error }

// Unwrap returns the underlying error.
func (e *clockError) Unwrap() error { return e.error }

// withoutClocks writes the conditions that need no clock if the API server refuses to store the clocks: a missing permission
// must not hide all other conditions of an object. It ignores other errors.
func (r *Reconciler[T]) withoutClocks(ctx context.Context, run run[T], seen observation, err error) error {
	refused, ok := errors.AsType[*clockError](err)
	if !ok || (!apierrors.IsForbidden(err) && !apierrors.IsInvalid(err)) {
		return nil
	}
	seen.outcomes = unclocked(seen.outcomes, refused)
	p := r.decideOn(ctx, run, seen)
	p.progress, p.progressChanged = run.progress, false
	p.putOff(r.reworded.lately(run.in.Object, run.in.Now))
	return r.carryOut(ctx, run.in.Object, p)
}

// unclocked makes the conditions Unknown that need a clock: without it, their deadline is unknown.
func unclocked(outcomes []outcome, err error) []outcome {
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		o := &outcomes[i]
		if o.applicability == Applies && len(o.progress) > 0 {
			o.result = Result{Status: Unknown, Reason: ReasonCheckFailed, Message: err.Error()}
			o.isStored, o.progress = false, nil
		}
	}
	return outcomes
}
