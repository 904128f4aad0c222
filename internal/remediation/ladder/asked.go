package ladder

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// findingAsked is the reason of a verdict that the annotation remediate-machine caused.
const findingAsked = "HasRemediateMachineAnnotation"

// replaceAsked goes on with the first Replace of the plan if somebody asked for it by annotation. It reports whether somebody did.
func (t *turn) replaceAsked() bool {
	replace := firstReplace(t.f.Record)
	if replace < 0 || !t.askedAnew() {
		return false
	}
	step := t.f.Record.Spec.Steps[replace].Name
	if t.s.Step != step {
		t.s.NextTransitionTime = nil
	}
	t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step
	return true
}

// askedAnew reports whether the annotation remediate-machine was set after the machine was admitted, and has not been answered.
// After Deny and Cancel, only Retry goes on.
func (t *turn) askedAnew() bool {
	if !t.f.RemediateAsked || t.s.AnnotationAnswered || (t.f.Record.Spec.Finding.Reason == findingAsked && !t.s.AnnotationRemoved) {
		return false
	}
	last := Last(&t.s)
	return last == nil || (last.Result != v1alpha1.ResultDenied && last.Result != v1alpha1.ResultCancelled)
}

// answersAnnotation records that the current annotation is answered. Attempts are dropped over time and decisions overwritten, so
// they cannot show it.
func (t *turn) answersAnnotation() {
	if t.f.RemediateAsked {
		t.s.AnnotationAnswered = true
	}
}

// forgetsAnnotation lets somebody ask again once the annotation is gone.
func (t *turn) forgetsAnnotation() {
	if !t.f.RemediateAsked && !Ended(t.f.Record) {
		t.s.AnnotationAnswered = false
		// Afterwards, it is newly seen also if it is why the machine was admitted.
		t.s.AnnotationRemoved = t.s.AnnotationRemoved || t.f.Record.Spec.Finding.Reason == findingAsked
	}
}

// askedInVain reports whether the annotation asks for a step that the plan does not have.
func (t *turn) askedInVain() bool { return t.f.RemediateAsked && firstReplace(t.f.Record) < 0 }

// annotation returns the annotation remediate-machine as a decision.
func (t *turn) annotation() *v1alpha1.RemediationDecision {
	return &v1alpha1.RemediationDecision{Attempt: t.s.Attempt, Answer: v1alpha1.AnswerRetry, By: clusterv1.RemediateMachineAnnotation}
}
