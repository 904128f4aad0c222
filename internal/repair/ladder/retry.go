package ladder

import (
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// applyRetry goes on with the step that a person wants again, and clears what the record waited for. It reports whether one does.
func (d *draft) applyRetry() bool {
	answer := d.personsDecision()
	if answer == nil || answer.Answer != v1alpha1.AnswerRetry {
		return d.applyRetryAgain() || d.applyAnnotation()
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

// applyRetryAgain goes on with the last attempt if a person asked for it and nobody began it. It reports whether it does.
func (d *draft) applyRetryAgain() bool {
	last := Last(&d.s)
	if last == nil || !endedNotBegun(*last) || last.Decision == nil || last.Decision.Answer != v1alpha1.AnswerRetry {
		return false
	}
	d.s.Step = last.Step
	return true
}

// lastTried returns the step of the latest attempt that was asked for, or else the next one, or the first of the plan. It skips steps that
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

// freeAborts is how many aborted power cycles of a step do not count, although their host was off.
const freeAborts = 2

// tried returns how many attempts of a step count since it last began. A Retry begins it again.
func tried(s *v1alpha1.MachineRemediationStatus, step string) int32 {
	n, aborted := int32(0), int32(0)
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		attempt := &s.Attempts[i]
		if attempt.Step != step {
			break
		}
		if attempt.Result.Counts() {
			n++
		}
		if attempt.Result == v1alpha1.ResultAborted && attempt.HostOffAt != nil {
			aborted++
		}
		if attempt.Decision != nil && attempt.Decision.Answer == v1alpha1.AnswerRetry {
			break
		}
	}
	return n + max(0, aborted-freeAborts)
}

// failedInVain returns how many attempts in a row failed or were impossible. It skips those that nobody began.
func failedInVain(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].Result != v1alpha1.ResultSucceeded; i-- {
		if result := s.Attempts[i].Result; result == v1alpha1.ResultImpossible || (result != "" && result.Counts()) {
			n++
		}
	}
	return n
}

// aborted returns how many attempts in a row were aborted.
func aborted(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].Result == v1alpha1.ResultAborted; i-- {
		n++
	}
	return n
}

// findingAsked is the reason of a verdict that the annotation remediate-machine caused.
const findingAsked = "HasRemediateMachineAnnotation"

// applyAnnotation goes on with the first Replace of the plan if somebody asked for it by annotation. It reports whether somebody did.
func (d *draft) applyAnnotation() bool {
	replace := firstReplace(d.f.Record)
	if replace < 0 || !d.askedAnew() {
		return false
	}
	step := d.f.Record.Spec.Steps[replace].Name
	if d.s.Step != step {
		d.s.NextTransitionTime = nil
	}
	d.s.Attempt, d.s.Step = max(1, d.s.Attempt), step
	return true
}

// askedAnew reports whether the annotation remediate-machine was set after the machine was admitted, and has not been answered.
// After Deny and Cancel, only Retry goes on.
func (d *draft) askedAnew() bool {
	if !d.f.RemediateAsked || d.s.AnnotationAnswered || (d.f.Record.Spec.Finding.Reason == findingAsked && !d.s.AnnotationRemoved) {
		return false
	}
	last := Last(&d.s)
	return last == nil || (last.Result != v1alpha1.ResultDenied && last.Result != v1alpha1.ResultCancelled)
}

// answersAnnotation records that the current annotation is answered. Attempts are dropped over time and decisions overwritten, so
// they cannot show it.
func (d *draft) answersAnnotation() {
	if d.f.RemediateAsked {
		d.s.AnnotationAnswered = true
	}
}

// forgetsAnnotation lets somebody ask again once the annotation is gone.
func (d *draft) forgetsAnnotation() {
	if !d.f.RemediateAsked && !Ended(d.f.Record) {
		d.s.AnnotationAnswered = false
		// Afterwards, it is newly seen also if it is why the machine was admitted.
		d.s.AnnotationRemoved = d.s.AnnotationRemoved || d.f.Record.Spec.Finding.Reason == findingAsked
	}
}

// askedInVain reports whether the annotation asks for a step that the plan does not have.
func (d *draft) askedInVain() bool { return d.f.RemediateAsked && firstReplace(d.f.Record) < 0 }

// annotation returns the annotation remediate-machine as a decision.
func (d *draft) annotation() *v1alpha1.RemediationDecision {
	return &v1alpha1.RemediationDecision{Attempt: d.s.Attempt, Answer: v1alpha1.AnswerRetry, By: clusterv1.RemediateMachineAnnotation}
}
