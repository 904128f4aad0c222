package ladder

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// findingAsked is the reason of a verdict that the annotation remediate-machine caused.
const findingAsked = "HasRemediateMachineAnnotation"

// replaceAsked goes on with the first Replace of the plan if somebody asked for it by annotation. It reports whether somebody did.
func (d *draft) replaceAsked() bool {
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
