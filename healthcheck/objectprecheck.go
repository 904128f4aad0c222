package healthcheck

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ObjectPrecheck reports whether an object is to be checked at all. It is asked once with each look, before all prechecks of
// conditions: an object that is being deleted may have no conditions any more (DoesNotApply), and one that is paused is left
// as it is (LeaveAlone). The time is when the answer changes by itself, as at the end of a pause: the object is looked at again
// then. Zero means never, and so does a time that is over.
//
// An error, a panic or an answer that is none of these makes all conditions Unknown, but for those whose WhileUndecided says
// otherwise. The engine tries again with back-off. The timeout of a check holds for it, too. Implementations must be safe for
// concurrent use.
type ObjectPrecheck[T any] func(ctx context.Context, in Input[T]) (Applicability, time.Time, error)

// answer is that of an ObjectPrecheck.
type answer struct {
	applicability Applicability
	until         time.Time
}

// precheckObject asks the precheck of the object. One that cannot tell just now leaves the object alone.
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

// validate returns an error for what is no answer.
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
			// Once is enough to be told.
			outcomes[i].err, outcomes[i].later = nil, nil
		}
	}
	return outcomes
}

// unchecked is the outcome of a condition whose checks are not run.
func (r run[T]) unchecked(c ConditionChecks[T], applicability Applicability) outcome {
	out := outcome{conditionType: c.Type, negative: c.Negative, applicability: applicability}
	if applicability == DoesNotApply {
		return out
	}
	out.progress = slices.DeleteFunc(slices.Clone(r.progress), func(p Progress) bool { return p.Condition != c.Type })
	out.kept = slices.DeleteFunc(slices.Clone(r.kept), func(k keptResult) bool { return k.condition != c.Type })
	return out
}

// undecided is the outcome of a condition of which nobody knows whether it applies.
func (r run[T]) undecided(c ConditionChecks[T], err error) outcome {
	out := r.unchecked(c, c.WhileUndecided)
	out.result = Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}
	if out.later, out.err = postponed([]error{err}); out.later != nil {
		out.applicability = LeaveAlone
	}
	return out
}
