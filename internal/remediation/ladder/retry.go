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
