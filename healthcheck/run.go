package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/looks"
)

// outcome is what a run found out about one condition type.
type outcome struct {
	conditionType string
	// negative says that the condition is stored with True and False swapped.
	negative      bool
	applicability Applicability
	result        Result
	// isStored says that the result is the stored one rather than the finding, for example because Damping delays a change.
	isStored bool
	// observed is the generation that the stored result is about.
	observed int64
	// progress are the clocks to keep, and counts the counts of Damping that only memory keeps.
	progress, counts []Progress
	// err is why a check could not be carried out; the result says so too.
	err error
	// kept holds the results to reuse, and due is when the first of them ends and its check must run.
	kept []keptResult
	due  time.Time
	// later joins the LaterErrors that postpone the condition.
	later error
}

// run is one run of the checks of one object, and what they need for it. Its methods work on a copy, so they do not affect
// each other.
type run[T any] struct {
	// name is that of the registration.
	name    string
	in      Input[T]
	timeout time.Duration
	around  surroundings
	// unmeasured says that nothing is counted in metrics.
	unmeasured bool
	// progress holds the stored clocks, and counts the counts of Damping in memory; keeps reports whether a store keeps clocks.
	progress, counts []Progress
	keeps            bool
	// yields are the condition types that are left to another writer, until yieldsUntil at least.
	yields      []string
	yieldsUntil time.Time
	// kept holds the earlier results of checks. A check without an Interval reuses its own only if timer says that no event led to
	// this run. Poll returns how long that lasts.
	kept  []keptResult
	timer bool
	poll  func(check NamedCheck[T], found Status) time.Duration
	// pace is how the test kit spaces runs out, and factor by how much all periods of this run are longer: see spread.
	pace   looks.Timer
	factor float64
	// slots limits how many checks run at once; nil means no limit.
	slots chan struct{}
	// call is the next call; it is not made while the same call of an earlier run still hangs. A nil hung means that this
	// is not tracked.
	call call
	hung *hungCalls
}

// checkCondition judges one condition; current is the stored one. Its steps are in the order in which the rules apply. Its
// findings are in the checks' polarity.
func (r run[T]) checkCondition(ctx context.Context, c ConditionChecks[T], current *Condition) outcome {
	current = c.inSense(current)
	r.in.Current, r.call.what = current, c.Type
	out, decided := r.precheck(ctx, c)
	if decided {
		return out
	}
	last := r.recall(c)
	results, errs := r.runChecks(ctx, c, last)
	// Before dateAll: each run computes the deadlines from its clocks.
	r.remember(c, last, results, errs)
	if r.keeps {
		out.progress = dateAll(r.progress, c, results, r.in.Now)
	}
	out.result, out.err = r.conclusion(ctx, c, results, current)
	// After dateAll: the deadlines affect the statuses.
	r.count(c, results, last)
	found := out.result
	if r.keeps {
		var counted []Progress
		out.result, counted = c.Damping.damp(slices.Concat(r.counts, r.progress), c.Type, current, out.result, r.in.Now)
		out.counts, out.progress = counted, append(out.progress, lasting(counted)...)
		if len(counted) > 0 {
			out.isStored, out.observed = true, current.ObservedGeneration
		}
	}
	out.kept, out.due = r.keepResults(c, last, results, found, out)
	if out.later, out.err = postponed(append(errs, out.err)); out.later != nil {
		out.applicability, out.progress = LeaveAlone, r.unchecked(c, LeaveAlone).progress
		return out
	}
	if out.result.Status == Skipped {
		out.applicability = DoesNotApply
	}
	return out
}

// runChecks runs the checks of a condition side by side, except those whose last result still counts.
func (r run[T]) runChecks(ctx context.Context, c ConditionChecks[T], last []keptResult) ([]Result, []error) {
	results, errs := make([]Result, len(c.Checks)), make([]error, len(c.Checks))
	var wait sync.WaitGroup
	for i, check := range c.Checks {
		if last[i].reused {
			results[i] = last[i].result
			continue
		}
		wait.Go(func() {
			if !r.unmeasured {
				defer prometheus.NewTimer(checkSeconds.WithLabelValues(r.name, c.Type, check.Name)).ObserveDuration()
			}
			results[i], errs[i] = r.runCheck(ctx, check)
		})
	}
	wait.Wait()
	return results, errs
}

// conclusion returns the result of conclude; it is Unknown if a function of the registration panicked.
func (r run[T]) conclusion(ctx context.Context, c ConditionChecks[T], results []Result, current *Condition) (Result, error) {
	if c.Summary == nil && c.Conclude == nil {
		return conclude(r.in.Now, c, results, current), nil
	}
	result, err := apart(ctx, func() Result { return conclude(r.in.Now, c, results, current) })
	if err != nil {
		err = describe("making condition "+c.Type, err)
		return Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}, err
	}
	return result, nil
}

// count counts the findings of a condition's checks in the metrics.
func (r run[T]) count(c ConditionChecks[T], results []Result, last []keptResult) {
	if r.unmeasured {
		return
	}
	for i, check := range c.Checks {
		if last[i].reused {
			continue
		}
		checkResults.WithLabelValues(r.name, c.Type, check.Name, string(results[i].At(r.in.Now).Status)).Inc()
	}
}

// precheck calls the prechecks of a condition, and reports whether they decide it without its checks.
func (r run[T]) precheck(ctx context.Context, c ConditionChecks[T]) (out outcome, decided bool) {
	for i, precheck := range c.Prechecks {
		// One that hangs does not keep those before it from being called. No check has a name with a separator.
		r.call.what = c.Type + separator + separator + strconv.Itoa(i)
		answer, err := within(ctx, r, c.PrecheckNeeds, precheck)
		if err == nil {
			err = answer.validate()
		}
		if err != nil {
			return r.undecided(c, describe("deciding whether "+c.Type+" applies", err)), true
		}
		if answer != Applies {
			return r.unchecked(c, answer), true
		}
	}
	return outcome{conditionType: c.Type, negative: c.Negative}, false
}

// runCheck runs one check. Its result is Unknown if the check could not be carried out; the error says why.
func (r run[T]) runCheck(ctx context.Context, check NamedCheck[T]) (Result, error) {
	r.call.what += separator + check.Name
	result, err := within(ctx, r, check.Needs, check.Check.Check)
	if err != nil {
		err = describe("check "+check.Name, err)
		result = Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}
	}
	return result, err
}

// within calls foreign code with what it needs, within the limits of time and concurrency.
func within[T, A any](ctx context.Context, r run[T], needs Needs, foreign func(context.Context, Input[T]) (A, error)) (A, error) {
	var none A
	if r.slots != nil {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-ctx.Done():
			if isTimeUp(ctx) {
				return none, tooLate(ctx)
			}
			return none, ctx.Err()
		}
	}
	return boundedOnce(ctx, r.hung, r.call, r.timeout, func(ctx context.Context) (A, error) {
		env, err := r.around.env(ctx, needs)
		if err != nil {
			return none, err
		}
		in := r.in
		in.Env = env
		return foreign(ctx, in)
	})
}

// Evaluation is what the engine finds for one object, and would store.
type Evaluation struct {
	// Conditions are those that the registration would store on the object, in the registration's order.
	Conditions []Condition
	// Removed lists the types of conditions that would be removed.
	Removed []string
	// RecheckAt is when the engine looks again without an event: a condition changes by itself, or a check is due. Zero means
	// never, or after the sync period.
	RecheckAt time.Time
}

// Evaluate checks an object as Reconcile does, and writes nothing: no condition, no clock, no Event and no metric. It runs all
// checks, including those whose last result Reconcile would reuse (NamedCheck.Interval). It is for previews, commands and
// tests. Obj need not exist in a cluster; the engine meets the needs of its checks as in Reconcile. Fields that only
// SetupWithManager or Reconcile uses may be unset: the default Clock is the real one, and the clocks of progress come from the
// default ProgressStore.
//
// The error says what could not be carried out. The conditions say so too, except those that a LaterError leaves as they are.
// The evaluation is complete even with an error. It is empty only if ctx was cancelled, obj is nil, or the registration is not
// valid (see Validate) or has neither Client nor Source for a check that needs the source.
func (r *Reconciler[T]) Evaluate(ctx context.Context, obj T) (Evaluation, error) {
	if err := r.canEvaluate(obj); err != nil {
		return Evaluation{}, err
	}
	var clocked clock.PassiveClock = clock.RealClock{}
	if r.Clock != nil {
		clocked = r.Clock
	}
	clocks := r.Progress
	if clocks == nil {
		clocks = AnnotationProgress[T]{Name: r.Name, FormerNames: r.FormerNames}
	}
	run := r.newRun(obj, clocks, &r.previewed, clocked.Now())
	run.unmeasured = true
	p, err := r.plan(ctx, run)
	if err != nil {
		return Evaluation{}, err
	}
	return Evaluation{Conditions: p.apply, Removed: p.remove, RecheckAt: p.due(run.in.Now)}, errors.Join(p.later, p.failed)
}

// canEvaluate returns an error if there is nothing to evaluate, or nothing to do it with.
func (r *Reconciler[T]) canEvaluate(obj T) error {
	if v := reflect.ValueOf(obj); !v.IsValid() || (v.Kind() == reflect.Pointer && v.IsNil()) {
		return fmt.Errorf("registration %q: the object to evaluate is nil", r.Name)
	}
	if err := r.Validate(); err != nil {
		return err
	}
	if r.Client != nil || r.Source != nil {
		return nil
	}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if c.PrecheckNeeds.has(NeedsSource) || slices.ContainsFunc(c.Checks, func(check NamedCheck[T]) bool { return check.Needs.has(NeedsSource) }) {
			return fmt.Errorf("registration %q has neither Client nor Source, and condition %q needs the source", r.Name, c.Type)
		}
	}
	return nil
}
