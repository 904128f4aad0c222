package ladder

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// retried begins a step again, as a person decided. It reports whether one did.
func (d *draft) retried() bool {
	answer := d.personsDecision()
	if answer == nil || answer.Answer != v1alpha1.AnswerRetry {
		return d.retriedInVain() || d.replaceAsked()
	}
	step := answer.Step
	if step == "" {
		step = d.lastTried()
	}
	unread := d.f.Record.Status.ObservedGeneration < d.f.Record.Generation
	if d.s.Step != step || unread {
		// A person's decision overrides what the record waited for.
		d.s.NextTransitionTime = nil
	}
	d.s.Attempt, d.s.Step = max(1, d.s.Attempt), step
	return true
}

// retriedInVain reports whether a person asked for the attempt that did nothing. It is repeated.
func (d *draft) retriedInVain() bool {
	last := Last(&d.s)
	if last == nil || !withoutEffect(*last) || last.Decision == nil || last.Decision.Answer != v1alpha1.AnswerRetry {
		return false
	}
	d.s.Step = last.Step
	return true
}

// lastTried returns the step of the latest attempt that began, or else the next one, or the first of the plan. It skips steps that
// leave the machine to a person: that person has just answered.
func (d *draft) lastTried() string {
	for _, attempt := range slices.Backward(d.s.Attempts) {
		if attempt.StartTime != nil {
			return attempt.Step
		}
	}
	if step, ok := d.nextStep(); ok && step.Action != v1alpha1.ActionHold {
		return step.Name
	}
	for _, step := range d.f.Record.Spec.Steps {
		if step.Action != v1alpha1.ActionHold {
			return step.Name
		}
	}
	return d.f.Record.Spec.Steps[0].Name
}

// Tried returns how many attempts of a step of a record count since it last began, including the one at work.
func Tried(r *v1alpha1.MachineRemediation, step string) int32 { return tried(&r.Status, step) }

// tried returns how many attempts of a step count since it last began. A Retry begins it again.
func tried(s *v1alpha1.MachineRemediationStatus, step string) int32 {
	n := int32(0)
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		attempt := &s.Attempts[i]
		if attempt.Step != step {
			break
		}
		if attempt.Result.Counts() {
			n++
		}
		if attempt.Decision != nil && attempt.Decision.Answer == v1alpha1.AnswerRetry {
			break
		}
	}
	return n
}

// failedInVain returns how many attempts in a row failed. It skips those that did nothing.
func failedInVain(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].Result != v1alpha1.ResultSucceeded; i-- {
		if result := s.Attempts[i].Result; result == v1alpha1.ResultRefused || (result != "" && result.Counts()) {
			n++
		}
	}
	return n
}
