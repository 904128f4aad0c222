package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// held leaves the machine to a person: no step is left, or the plan or a person says so.
func (t *turn) held() bool {
	again := t.retried()
	if t.needsPerson() || (t.f.Safety.PlanProblem != "" && !again) {
		return t.leaveToPerson()
	}
	return false
}

// needsPerson reports whether no step goes on by itself.
func (t *turn) needsPerson() bool {
	step, ok := t.nextStep()
	return !ok || step.Action == v1alpha1.ActionHold || !known(step.Action)
}

// leaveToPerson says why a person must decide. It takes no slot.
func (t *turn) leaveToPerson() bool {
	step, _ := t.nextStep()
	t.settle(step)
	t.release()
	t.s.NextTransitionTime = nil
	reason, message := t.whyHeld()
	return t.say(v1alpha1.RemediationHeld, reason, message+"; a person decides")
}

func (t *turn) whyHeld() (reason, message string) {
	step, ok := t.nextStep()
	last := Last(&t.s)
	switch {
	case ok && step.Action == v1alpha1.ActionHold:
		return v1alpha1.ReasonHoldStep, "Step " + step.Name + " leaves the machine to a person"
	case ok && !known(step.Action):
		return v1alpha1.ReasonPlanProblem, "Step " + step.Name + " has the action " + string(step.Action) + ", which this version of Sickbay does not know"
	case ok:
		return v1alpha1.ReasonPlanProblem, t.f.Safety.PlanProblem
	case last == nil && t.f.Record.Spec.StartAt != nil:
		return v1alpha1.ReasonNoStepLeft, "No step is left: " + t.f.Record.Spec.StartAt.Reason
	case last == nil:
		return v1alpha1.ReasonNoStepLeft, "No step is left"
	}
	return whyNoStepIsLeft(last)
}

// whyNoStepIsLeft says how the last attempt ended.
func whyNoStepIsLeft(last *v1alpha1.RemediationAttempt) (reason, message string) {
	switch last.Result {
	case v1alpha1.ResultDenied:
		return v1alpha1.ReasonDenied, last.Message
	case v1alpha1.ResultCancelled:
		return v1alpha1.ReasonCancelled, last.Message
	default:
		return v1alpha1.ReasonNoStepLeft, "No step is left; the last: " + last.Message
	}
}
