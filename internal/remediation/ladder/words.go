package ladder

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// waitsFor says for whom an attempt waits, and what comes if that is in vain.
func (t *turn) waitsFor(step v1alpha1.RemediationStep) string {
	what := ""
	switch step.Action {
	case v1alpha1.ActionReplace:
		what = "waits until the machine is deleted"
		if t.f.Machine.Owner != nil {
			what = fmt.Sprintf("waits for %s to replace the machine", t.f.Machine.ownerName())
		}
	case v1alpha1.ActionReboot:
		what = "waits for the power cycle of its host"
	case v1alpha1.ActionRequest:
		what = "waits for the controller of the request"
		if request, attempt := t.f.Request, atWork(&t.s); request != nil && attempt != nil && request.OperationID == attempt.OperationID {
			what = fmt.Sprintf("waits for %s %s", request.Ref.Kind, request.Ref.Name)
		}
	default:
		what = "waits for the machine to recover by itself"
	}
	return fmt.Sprintf("%s: %s; %s", t.trying(step), what, t.then(step))
}

// trying says which attempt of which step is at work.
func (t *turn) trying(step v1alpha1.RemediationStep) string {
	if step.MaxAttempts() == 1 {
		return fmt.Sprintf("Step %s", step.Name)
	}
	return fmt.Sprintf("Step %s, %d of %d", step.Name, min(tried(&t.s, step.Name), step.MaxAttempts()), step.MaxAttempts())
}

// then says what follows if the step at work does not help.
func (t *turn) then(step v1alpha1.RemediationStep) string {
	if NeverGivenUp(t.f.Record, step) {
		return "begins again if that does not help"
	}
	if tried(&t.s, step.Name) < step.MaxAttempts() {
		return "tries once more if that does not help"
	}
	if next := StepAfter(t.f.Record.Spec.Steps, step.Name); next != "" {
		return "goes on with step " + next + " if that does not help"
	}
	return "leaves the machine to a person if that does not help"
}

// inVain says what has not come about in the time of a step.
func (t *turn) inVain(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) string {
	if evidence(step) && attempt.ObjectRef != nil {
		return fmt.Sprintf("%s %s has not succeeded after %s", attempt.ObjectRef.Kind, attempt.ObjectRef.Name, step.Timeout())
	}
	return fmt.Sprintf("The machine is not healthy after %s", step.Timeout())
}
