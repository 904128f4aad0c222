package healthcheck

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
)

// write carries the plan out, and notes what the cache is to show next. Clocks come
// first, so that none begins anew if the rest fails.
func (r *Reconciler[T]) write(ctx context.Context, obj T, p plan) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if p.progressChanged && r.Progress != nil {
		if err := r.Progress.Save(ctx, obj, p.progress); err != nil {
			return err
		}
		r.written.Note(obj)
	}
	if len(p.remove) > 0 {
		if err := r.Store.Remove(ctx, obj, p.remove); err != nil {
			return err
		}
		r.written.Note(obj)
	}
	if !p.changed {
		return nil
	}
	if err := r.Store.Apply(ctx, obj, p.apply); err != nil {
		return err
	}
	r.written.Note(obj)
	return nil
}

// report logs each transition once and hands it on.
func (r *Reconciler[T]) report(ctx context.Context, obj T, p plan) {
	for _, transition := range p.transitions {
		transition.At = r.Clock.Now()
		condition := transition.To
		if condition.Type == "" {
			condition.Type = transition.From.Type
		}
		ctrl.LoggerFrom(ctx).Info("Condition changed", "condition", condition.Type, "from", transition.From.Status,
			"to", condition.Status, "reason", condition.Reason, "message", condition.Message)
		if r.OnTransition != nil {
			r.OnTransition(ctx, obj, transition)
		}
	}
}
