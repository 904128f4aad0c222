package ladder

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// retried begins a step anew, as a person has decided. It reports whether one has.
func (t *turn) retried() bool {
	d := t.decision()
	if d == nil || d.Answer != v1alpha1.AnswerRetry {
		return t.retriedInVain() || t.replaceAsked()
	}
	step := d.Step
	if step == "" {
		step = t.lastTried()
	}
	unread := t.f.Record.Status.ObservedGeneration < t.f.Record.Generation
	if t.s.Step != step || unread {
		// Whatever was waited for, a person has decided since.
		t.s.NextTransitionTime = nil
	}
	t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step
	return true
}

// retriedInVain reports whether a person wanted the attempt that has done nothing. It is made up for.
func (t *turn) retriedInVain() bool {
	last := latest(&t.s)
	if last == nil || !givenUp(*last) || last.Decision == nil || last.Decision.Answer != v1alpha1.AnswerRetry {
		return false
	}
	t.s.Step = last.Step
	return true
}

// lastTried is the step of the latest attempt that has begun, or else the one that is waited for, or the first of the plan. One that
// leaves the machine to a person is not tried: that person has just answered.
func (t *turn) lastTried() string {
	for _, attempt := range slices.Backward(t.s.Attempts) {
		if attempt.StartTime != nil {
			return attempt.Step
		}
	}
	if step, ok := t.nextStep(); ok && step.Action != v1alpha1.ActionHold {
		return step.Name
	}
	for _, step := range t.f.Record.Spec.Steps {
		if step.Action != v1alpha1.ActionHold {
			return step.Name
		}
	}
	return t.f.Record.Spec.Steps[0].Name
}

// counts reports whether an attempt with this result uses up one of its step.
func counts(result v1alpha1.AttemptResult) bool {
	switch result {
	case v1alpha1.ResultRefused, v1alpha1.ResultAborted, v1alpha1.ResultUnneeded, v1alpha1.ResultDenied, v1alpha1.ResultCancelled:
		return false
	default:
		return true
	}
}

// Tried is how many attempts of a step of a record count, since it was begun last; that at work is one of them.
func Tried(r *v1alpha1.MachineRemediation, step string) int32 { return tried(&r.Status, step) }

// tried is how many attempts of a step count, since it was begun last: a Retry begins it anew.
func tried(s *v1alpha1.MachineRemediationStatus, step string) int32 {
	n := int32(0)
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		attempt := &s.Attempts[i]
		if attempt.Step != step {
			break
		}
		if counts(attempt.Result) {
			n++
		}
		if attempt.Decision != nil && attempt.Decision.Answer == v1alpha1.AnswerRetry {
			break
		}
	}
	return n
}

// failedInVain is how many attempts in a row have failed. Those that did nothing are passed over.
func failedInVain(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].Result != v1alpha1.ResultSucceeded; i-- {
		if result := s.Attempts[i].Result; result == v1alpha1.ResultRefused || (result != "" && counts(result)) {
			n++
		}
	}
	return n
}
