package healthcheck

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ObjectPrecheck reports whether to check an object at all. The engine calls it once at each look, before the prechecks of
// conditions. For example, an object that is being deleted may lose its conditions (DoesNotApply), and a paused one is left as
// it is (LeaveAlone). The time is when the answer changes by itself, such as the end of a pause; the engine looks at the object
// again then. Zero or a time in the past means never.
//
// An error, a panic or an undefined Applicability makes all conditions Unknown, unless their WhileUndecided says otherwise. The
// engine retries with back-off. It has the same timeout as a check. Implementations must be safe for concurrent use.
type ObjectPrecheck[T any] func(ctx context.Context, in Input[T]) (Applicability, time.Time, error)

// answer is the result of an ObjectPrecheck.
type answer struct {
	applicability Applicability
	until         time.Time
}

// precheckObject calls the precheck of the object. A LaterError leaves the object alone.
func (r *Reconciler[T]) precheckObject(ctx context.Context, run run[T]) (answer, error) {
	if r.Precheck == nil {
		return answer{}, nil
	}
	run.call.what = separator + "precheck"
	given, err := within(ctx, run, r.PrecheckNeeds, func(ctx context.Context, in Input[T]) (answer, error) {
		applicability, until, err := r.Precheck(ctx, in)
		return answer{applicability, until}, err
	})
	if err == nil {
		err = given.applicability.validate()
	}
	if later, _ := postponed([]error{err}); later != nil {
		return answer{applicability: LeaveAlone}, err
	}
	if err != nil {
		return answer{}, err
	}
	if !given.until.After(run.in.Now) {
		given.until = time.Time{}
	}
	return given, nil
}

// validate returns an error for an undefined Applicability.
func (a Applicability) validate() error {
	if a < Applies || a > DoesNotApply {
		return &brokenError{ReasonInvalidResult, fmt.Sprintf("gave the unknown answer %d", a)}
	}
	return nil
}

// withoutChecks returns the outcomes of all conditions of an object whose precheck did not answer Applies.
func (r run[T]) withoutChecks(conditions []ConditionChecks[T], given answer, err error) []outcome {
	outcomes := make([]outcome, len(conditions))
	for i, c := range conditions {
		if err == nil {
			outcomes[i] = r.unchecked(c, given.applicability)
			continue
		}
		if outcomes[i] = r.undecided(c, describe("deciding whether "+r.name+" applies", err)); i > 0 {
			// Report it once, not for each condition.
			outcomes[i].err, outcomes[i].later = nil, nil
		}
	}
	return outcomes
}

// unchecked returns the outcome of a condition whose checks are not run.
func (r run[T]) unchecked(c ConditionChecks[T], applicability Applicability) outcome {
	out := outcome{conditionType: c.Type, negative: c.Negative, applicability: applicability}
	if applicability == DoesNotApply {
		return out
	}
	out.progress = slices.DeleteFunc(slices.Clone(r.progress), func(p Progress) bool { return p.Condition != c.Type })
	out.counts = slices.DeleteFunc(slices.Clone(r.counts), func(p Progress) bool { return p.Condition != c.Type })
	out.kept = slices.DeleteFunc(slices.Clone(r.kept), func(k keptResult) bool { return k.condition != c.Type })
	return out
}

// undecided returns the outcome of a condition whose precheck failed.
func (r run[T]) undecided(c ConditionChecks[T], err error) outcome {
	out := r.unchecked(c, c.WhileUndecided)
	out.result = Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}
	if out.later, out.err = postponed([]error{err}); out.later != nil {
		out.applicability = LeaveAlone
	}
	return out
}
