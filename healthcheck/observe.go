package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// judge finds out what there is to be written about an object.
func (r *Reconciler[T]) judge(ctx context.Context, examination run[T]) (plan, error) {
	obj := examination.in.Object
	stored := r.Store.Get(obj)
	outcomes, err := r.evaluateAll(ctx, examination, stored)
	if err != nil {
		return plan{}, err
	}
	p := decide(outcomes, stored, examination.progress, r.Store.Normalize, obj.GetGeneration(), examination.in.Now)
	p.prune(r.abandoned(obj, stored), stored)
	p.failed = failures(outcomes)
	return p, nil
}

// examination is one of obj, with the clocks that are kept for it; nil if they are kept nowhere.
func (r *Reconciler[T]) examination(obj T, clocks ProgressStore[T], now time.Time) run[T] {
	examination := run[T]{
		name: r.Name,
		in:   Input[T]{Object: obj, Now: now}, timeout: cmp.Or(r.CheckTimeout, DefaultCheckTimeout),
		around: r.surround(obj), slots: r.slots(), call: r.named(obj, ""), late: &r.late,
	}
	if clocks != nil {
		examination.keeps = true
		examination.progress = slices.SortedFunc(slices.Values(clocks.Load(obj)), comparePerCheck)
	}
	return examination
}

// evaluateAll runs all condition types side by side. A run that was cut off, say by a
// shutdown, has found out nothing: that is an error.
func (r *Reconciler[T]) evaluateAll(ctx context.Context, examination run[T], stored []Condition) ([]outcome, error) {
	outcomes := make([]outcome, len(r.Conditions))
	var group sync.WaitGroup
	for i, c := range r.Conditions {
		group.Go(func() { outcomes[i] = examination.evaluate(ctx, c, find(stored, c.Type)) })
	}
	group.Wait()
	if isTimeUp(ctx) {
		return outcomes, nil
	}
	return outcomes, ctx.Err()
}

// named is a call for an object.
func (r *Reconciler[T]) named(obj T, what string) call {
	return call{client.ObjectKeyFromObject(obj), obj.GetUID(), what}
}

// slots bound how many checks run at once.
func (r *Reconciler[T]) slots() chan struct{} {
	r.makeSlot.Do(func() { r.slot = make(chan struct{}, cmp.Or(r.CheckConcurrency, DefaultCheckConcurrency)) })
	return r.slot
}

// abandoned are the types of conditions that we wrote on obj, and that nobody has
// registered any more.
func (r *Reconciler[T]) abandoned(obj T, stored []Condition) []string {
	owner, ok := r.Store.(Owner[T])
	if !ok {
		return nil
	}
	var foreign []string
	for _, c := range stored {
		if !slices.ContainsFunc(r.Conditions, func(registered ConditionChecks[T]) bool { return registered.Type == c.Type }) {
			foreign = append(foreign, c.Type)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	return owner.Owned(obj, foreign)
}

func failures(outcomes []outcome) error {
	var errs []error
	for _, o := range outcomes {
		errs = append(errs, o.err)
	}
	return errors.Join(errs...)
}
