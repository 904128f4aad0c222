package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// outcome is what a run found out about one condition type.
type outcome struct {
	conditionType string
	applicability Applicability
	result        Result
	// damped says that the result is what is stored, as another was not found often enough.
	damped bool
	// progress are the clocks to keep.
	progress []Progress
	// err is why a check could not be carried out; the result says so too.
	err error
}

// run is one examination of one object.
type run[T any] struct {
	// name is that of the registration.
	name    string
	in      Input[T]
	timeout time.Duration
	around  surroundings
	// unmeasured says that nothing is counted in metrics.
	unmeasured bool
	// progress are the stored clocks; keeps reports whether there is a place for them.
	progress []Progress
	keeps    bool
	// slots bound how many checks run at once; nil means no bound.
	slots chan struct{}
	// call is what is being called; of those that are late none is made. Nil means that
	// nobody keeps track of these.
	call call
	late *lateCalls
}

// evaluate runs everything that makes one condition, of which current is stored.
func (r run[T]) evaluate(ctx context.Context, c ConditionChecks[T], current *Condition) outcome {
	r.in.Current, r.call.what = current, c.Type
	out, decided := r.precheck(ctx, c)
	if decided {
		return out
	}
	results := make([]Result, len(c.Checks))
	errs := make([]error, len(c.Checks))
	var wait sync.WaitGroup
	for i, check := range c.Checks {
		wait.Go(func() {
			if !r.unmeasured {
				defer prometheus.NewTimer(checkSeconds.WithLabelValues(r.name, c.Type, check.Name)).ObserveDuration()
			}
			results[i], errs[i] = r.one(ctx, check, c.CodesOf)
		})
	}
	wait.Wait()
	for i, check := range c.Checks {
		if r.keeps && c.ProgressRule == ByCause {
			var kept []Progress
			results[i], kept = date(r.progress, c.Type, check.Name, results[i], r.in.Now)
			out.progress = append(out.progress, kept...)
		}
	}
	out.result, out.err = r.conclusion(ctx, c, results, current)
	// Only now what progresses has its deadline.
	r.count(c, results)
	if r.keeps {
		var counted []Progress
		out.result, counted = c.Damping.damp(r.progress, c.Type, current, out.result, r.in.Now)
		out.progress, out.damped = append(out.progress, counted...), len(counted) > 0
	}
	out.err = errors.Join(append(errs, out.err)...)
	if out.result.Status == Skipped {
		out.applicability = DoesNotApply
	}
	return out
}

// count counts what the checks of a condition have found.
func (r run[T]) count(c ConditionChecks[T], results []Result) {
	if r.unmeasured {
		return
	}
	for i, check := range c.Checks {
		checkResults.WithLabelValues(r.name, c.Type, check.Name, string(results[i].At(r.in.Now).Status)).Inc()
	}
}

// precheck asks whether a condition applies, and reports whether its checks need not be run.
func (r run[T]) precheck(ctx context.Context, c ConditionChecks[T]) (out outcome, decided bool) {
	out.conditionType = c.Type
	for _, precheck := range c.Prechecks {
		answer, err := within(ctx, r, c.PrecheckNeeds, precheck)
		if err == nil && (answer < Applies || answer > DoesNotApply) {
			err = &brokenError{ReasonInvalidResult, fmt.Sprintf("gave the unknown answer %d", answer)}
		}
		if err != nil {
			out.err = describe("deciding whether "+c.Type+" applies", err)
			out.applicability = c.WhileUndecided
			out.result = Result{Status: Unknown, Reason: reasonOf(out.err), Message: out.err.Error()}
			out.progress = r.progressOf(c.Type, LeaveAlone)
			return out, true
		}
		if answer != Applies {
			out.applicability = answer
			out.progress = r.progressOf(c.Type, answer)
			return out, true
		}
	}
	return out, false
}

// progressOf are the clocks of a condition whose checks are not run.
func (r run[T]) progressOf(conditionType string, applicability Applicability) []Progress {
	if applicability == DoesNotApply {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.progress), func(p Progress) bool { return p.Condition != conditionType })
}

// one runs one check and makes a result of it even if it gives none.
func (r run[T]) one(ctx context.Context, check NamedCheck[T], codesOf func(error) []string) (Result, error) {
	r.call.what += separator + check.Name
	result, err := within(ctx, r, check.Needs, check.Check.Check)
	problem := errors.New(result.Message)
	if err != nil {
		err = describe("check "+check.Name, err)
		problem, result = err, Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}
	}
	if codesOf == nil || (err == nil && result.Status != False && result.Status != Progressing) {
		return result, err
	}
	codes, broken := guarded(ctx, func(context.Context) ([]string, error) { return codesOf(problem), nil })
	if broken != nil {
		// The verdict is worth more than its codes.
		return result, errors.Join(err, describe("codes of check "+check.Name, broken))
	}
	result.Codes = append(slices.Clone(result.Codes), codes...)
	return result, err
}

// reasonOf tells why a check was not carried out.
func reasonOf(err error) string {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return broken.reason
	}
	if unmet, ok := errors.AsType[*unmetError](err); ok {
		return unmet.reason
	}
	if _, ok := errors.AsType[*UnavailableError](err); ok {
		return ReasonTargetUnavailable
	}
	return ReasonCheckFailed
}

// within calls foreign code in what it needs, bounded in time and number.
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
	return boundedOnce(ctx, r.late, r.call, r.timeout, func(ctx context.Context) (A, error) {
		env, err := r.around.env(ctx, needs)
		if err != nil {
			return none, err
		}
		in := r.in
		in.Env = env
		return foreign(ctx, in)
	})
}

// describe says what failed.
func describe(what string, err error) error {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return fmt.Errorf("%s %w", what, broken)
	}
	return fmt.Errorf("%s: %w", what, err)
}
