package ladder

import (
	"cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// held leaves the machine to a person: no step is left, or the plan or a person says so.
func (d *draft) held() bool {
	d.dropDecision()
	again := d.applyRetry()
	if d.needsPerson() || ((d.f.Safety.PlanProblem != "" || d.gaveUp()) && !again) {
		return d.leaveToPerson()
	}
	return false
}

// needsPerson reports whether no step goes on by itself.
func (d *draft) needsPerson() bool {
	step, ok := d.nextStep()
	return !ok || step.Action == v1alpha1.ActionHold || !known(step.Action)
}

// leaveToPerson says why a person must decide. It takes no slot.
func (d *draft) leaveToPerson() bool {
	if d.f.Record.Spec.AskedFor() {
		return d.finish()
	}
	step, _ := d.nextStep()
	d.settle(step)
	d.release()
	d.s.NextTransitionTime = nil
	reason, message := d.whyHeld()
	return d.say(v1alpha1.RemediationHeld, reason, message+"; a person decides")
}

func (d *draft) whyHeld() (reason, message string) {
	step, ok := d.nextStep()
	last := Last(&d.s)
	switch {
	case ok && step.Action == v1alpha1.ActionHold:
		return v1alpha1.ReasonHoldStep, "Step " + step.Name + " stops the plan"
	case d.gaveUp():
		request := d.f.Request
		return v1alpha1.ReasonUnreadable, "Sickbay has given up withdrawing " + request.Ref.Kind + " " + request.Ref.Name + " but cannot see whether it is gone: " + request.Unreadable
	case ok && !known(step.Action):
		return v1alpha1.ReasonPlanProblem, "Step " + step.Name + " has the action " + string(step.Action) + ", which this version of Sickbay does not know"
	case ok:
		return v1alpha1.ReasonPlanProblem, d.f.Safety.PlanProblem
	case last == nil && d.f.Record.Spec.StartAt != nil:
		return v1alpha1.ReasonNoStepLeft, "No step is left: " + d.f.Record.Spec.StartAt.Reason
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
	case v1alpha1.ResultNotBegun:
		return v1alpha1.ReasonNotBegun, "Step " + last.Step + " has not begun for a day; the last attempt: " + last.Message
	default:
		return v1alpha1.ReasonNoStepLeft, "No step is left; the last attempt: " + last.Message
	}
}

// finish ends a record that somebody asked for. A person decides about it by asking again.
func (d *draft) finish() bool {
	_, why := d.whyHeld()
	switch last := Last(&d.s); {
	case last == nil:
		return d.complete(v1alpha1.ReasonNotDone, why)
	case last.Result == v1alpha1.ResultSucceeded:
		return d.complete(v1alpha1.ReasonDone, last.Message)
	case last.Result == v1alpha1.ResultCancelled:
		return d.complete(v1alpha1.ReasonCancelled, last.Message)
	default:
		return d.complete(v1alpha1.ReasonNotDone, cmp.Or(last.Message, why))
	}
}
