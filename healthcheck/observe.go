package healthcheck

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observation is what the engine found for an object at one moment.
type observation struct {
	stored   []Condition
	outcomes []outcome
	// given is the answer of the object's precheck.
	given answer
}

// plan observes an object and decides what to write; it writes nothing.
func (r *Reconciler[T]) plan(ctx context.Context, run run[T]) (plan, error) {
	seen, err := r.observe(ctx, run)
	if err != nil {
		return plan{}, err
	}
	return r.decideOn(ctx, run, seen), nil
}

// observe calls the precheck of the object, and runs all checks if it returns Applies.
func (r *Reconciler[T]) observe(ctx context.Context, run run[T]) (observation, error) {
	store := r.store()
	if store == nil {
		return observation{}, r.errNoStore()
	}
	seen := observation{stored: store.Get(run.in.Object)}
	var err error
	seen.given, err = r.precheckObject(ctx, run)
	if err != nil || seen.given.applicability != Applies {
		seen.outcomes = run.withoutChecks(r.Conditions, seen.given, err)
		return seen, cutOff(ctx)
	}
	seen.outcomes, err = r.checkConditions(ctx, run, seen.stored)
	return seen, err
}

// decideOn decides what to write after an observation.
func (r *Reconciler[T]) decideOn(ctx context.Context, run run[T], seen observation) plan {
	obj, outcomes := run.in.Object, seen.outcomes
	if r.Root.Type != "" {
		outcomes = append(slices.Clone(outcomes), r.root(ctx, run, outcomes, seen.stored))
	}
	// After the root, which sums up what is so and not what is written.
	outcomes = run.yielding(outcomes)
	p := decide(outcomes, seen.stored, run.progress, r.store().Normalize, obj.GetGeneration(), run.in.Now)
	p.judged = judged(outcomes)
	if seen.given.applicability == LeaveAlone {
		p.progress, p.progressChanged = run.progress, false
	} else {
		p.prune(slices.DeleteFunc(r.abandoned(obj, seen.stored), run.isYielded), seen.stored)
	}
	p.recheckAt = Earliest(Earliest(p.recheckAt, seen.given.until), run.yieldsUntil)
	return p
}

// isReadBack reports whether the plan has written a condition that checks read from the object.
func (r *Reconciler[T]) isReadBack(stored []Condition, p plan) bool {
	return slices.ContainsFunc(r.Conditions, func(c ConditionChecks[T]) bool {
		if !c.ReadBack {
			return false
		}
		before, after := find(stored, c.Type), find(p.apply, c.Type)
		return digest(before) != digest(after)
	})
}

// judged returns the types of the conditions that were judged and apply.
func judged(outcomes []outcome) []string {
	var types []string
	for _, o := range outcomes {
		if o.applicability == Applies {
			types = append(types, o.conditionType)
		}
	}
	return types
}

// yielding leaves the conditions alone that are contested.
func (r run[T]) yielding(outcomes []outcome) []outcome {
	if len(r.yields) == 0 {
		return outcomes
	}
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		if r.isYielded(outcomes[i].conditionType) {
			outcomes[i].applicability = LeaveAlone
		}
	}
	return outcomes
}

func (r run[T]) isYielded(conditionType string) bool { return slices.Contains(r.yields, conditionType) }

// newRun returns a run of obj at now. Clocks is nil if no store keeps the clocks of progress.
func (r *Reconciler[T]) newRun(obj T, clocks ProgressStore[T], hung *hungCalls, now time.Time) run[T] {
	run := run[T]{
		name: r.Name,
		in:   Input[T]{Object: obj, Now: now}, timeout: cmp.Or(r.CheckTimeout, DefaultCheckTimeout),
		around: r.surround(obj, hung), slots: r.slots(), call: r.named(obj, ""), hung: hung,
		poll: r.poll, factor: 1 + periodJitter*rand.Float64(),
	}
	if clocks != nil {
		run.keeps = true
		run.progress = slices.SortedFunc(slices.Values(clocks.Load(obj)), comparePerCheck)
	}
	return run
}

// checkConditions checks all conditions side by side. If the run was cancelled, for example
// by a shutdown, it returns an error: its results mean nothing.
func (r *Reconciler[T]) checkConditions(ctx context.Context, run run[T], stored []Condition) ([]outcome, error) {
	outcomes := make([]outcome, len(r.Conditions))
	var group sync.WaitGroup
	for i, c := range r.Conditions {
		group.Go(func() { outcomes[i] = run.checkCondition(ctx, c, find(stored, c.Type)) })
	}
	group.Wait()
	return outcomes, cutOff(ctx)
}

// cutOff returns an error if ctx was cancelled, rather than timed out.
func cutOff(ctx context.Context) error {
	if isTimeUp(ctx) {
		return nil
	}
	return ctx.Err()
}

// named returns the identity of a call for obj.
func (r *Reconciler[T]) named(obj T, what string) call {
	return call{client.ObjectKeyFromObject(obj), obj.GetUID(), what}
}

// slots returns the semaphore that limits how many checks run at once.
func (r *Reconciler[T]) slots() chan struct{} {
	r.makeSlot.Do(func() { r.slot = make(chan struct{}, cmp.Or(r.CheckConcurrency, defaultCheckConcurrency)) })
	return r.slot
}

// abandoned returns the types of the conditions on obj that we wrote, and that are no longer
// registered.
func (r *Reconciler[T]) abandoned(obj T, stored []Condition) []string {
	pruner, ok := r.store().(Pruner[T])
	if !ok {
		return nil
	}
	var foreign []string
	for _, c := range stored {
		if c.Type != r.Root.Type && !slices.ContainsFunc(r.Conditions, func(registered ConditionChecks[T]) bool { return registered.Type == c.Type }) {
			foreign = append(foreign, c.Type)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	return pruner.Wrote(obj, foreign)
}
