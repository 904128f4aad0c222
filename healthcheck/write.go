package healthcheck

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// carryOut writes what the plan says, and reports the transitions that were stored.
func (r *Reconciler[T]) carryOut(ctx context.Context, obj T, p plan) error {
	if !p.writes() {
		return nil
	}
	ctx, cancel := beyondDeadline(ctx)
	defer cancel()
	// A check that did not return at its timeout still reads its object.
	obj = obj.DeepCopyObject().(T)
	stored, err := r.write(ctx, obj, p)
	r.report(ctx, obj, stored)
	return err
}

// write carries the plan out, and records what the cache must show next. Clocks come first, so that none starts again if the
// rest fails. It returns the transitions that are stored, even if some are not.
func (r *Reconciler[T]) write(ctx context.Context, obj T, p plan) ([]Transition, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if p.progressChanged && r.Progress != nil {
		if err := r.keep(ctx, obj, p.progress); err != nil {
			return nil, &clockError{err}
		}
	}
	if len(p.remove) > 0 {
		if err := r.store().Remove(ctx, obj, p.remove); err != nil {
			return nil, err
		}
		r.expectations.Expect(obj)
	}
	if err := r.apply(ctx, obj, p); err != nil {
		return slices.DeleteFunc(slices.Clone(p.transitions), func(t Transition) bool { return !t.removes() }), err
	}
	return p.transitions, nil
}

// keep writes the clocks. The first write requires the judged version of the object, since the cache may lag and miss a
// stored clock. If the object has changed again at the next try, it changes all the time, and the clocks are stored anyway.
func (r *Reconciler[T]) keep(ctx context.Context, obj T, progress []Progress) error {
	err := r.Progress.Save(ctx, obj, progress)
	if apierrors.IsConflict(err) && r.busy.again(obj) {
		// A Store that relies on the resource version must not take the new one for the judged one.
		written := obj.DeepCopyObject().(T)
		written.SetResourceVersion("")
		if err = r.Progress.Save(ctx, written, progress); err == nil {
			r.expectations.Expect(written)
			return nil
		}
	}
	if err != nil {
		return err
	}
	r.busy.forget(obj)
	r.expectations.Expect(obj)
	return nil
}

// apply writes the conditions, if that is due.
func (r *Reconciler[T]) apply(ctx context.Context, obj T, p plan) error {
	if !p.applies() {
		return nil
	}
	if err := r.store().Apply(ctx, obj, p.apply); err != nil {
		return err
	}
	r.expectations.Expect(obj)
	if !p.changed {
		r.reworded.note(obj, r.Clock.Now())
	}
	return nil
}
