package ladder

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// atWork goes on with the attempt at work: it carries the attempt out if nothing of it is visible yet, or ends it if it failed or
// timed out.
func (d *draft) atWork() bool {
	attempt := atWork(&d.s)
	if attempt == nil {
		return false
	}
	step, ok := StepNamed(d.f.Record, attempt.Step)
	switch {
	case !ok:
		return d.fails(attempt, "The plan has no such step")
	case !Acts(step.Action):
		return d.inTime(attempt, step)
	case attempt.ObjectRef == nil:
		return d.carryOut(attempt, step)
	case step.Action == v1alpha1.ActionReplace:
		return d.replacing(attempt, step)
	}
	return d.requesting(attempt, step)
}

// carryOut asks for the act of an attempt, unless something forbids it now.
func (d *draft) carryOut(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if others := d.precedence(step); others.isSet() {
		d.end(attempt, v1alpha1.ResultAborted, others.message)
		return d.stepBack(step, others)
	}
	if brake := d.brake(); brake.isSet() {
		d.end(attempt, v1alpha1.ResultAborted, brake.message)
		d.getInLine(step)
		return d.stepBack(step, brake)
	}
	return d.act(d.actFor(step), *attempt, step)
}

// actFor returns the act of a step.
func (d *draft) actFor(step v1alpha1.RemediationStep) Act {
	switch {
	case step.Action == v1alpha1.ActionRequest:
		return CreateRequest
	case d.annotates(step):
		return AnnotateReboot
	case step.Action == v1alpha1.ActionReboot:
		return CreateReboot
	case d.f.Machine.Owner == nil:
		return DeleteMachine
	}
	return MarkForOwner
}

// inTime lets the attempt go on until it times out.
func (d *draft) inTime(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	deadline := d.runClock(attempt, step)
	switch {
	case d.now.Before(deadline):
		d.recheck(deadline)
		return d.goOn(d.waitsFor(step))
	case d.f.Machine.Health == Sick:
		d.end(attempt, v1alpha1.ResultTimedOut, d.inVain(attempt, step))
		return d.afterAttempt()
	}
	limit := d.proofDue(deadline)
	if d.now.Before(limit) {
		// Nothing follows on a machine that cannot be judged, and nothing waits for it for ever.
		d.recheck(limit)
		return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonUndecided, "The step has timed out, and Sickbay cannot tell whether the machine is healthy")
	}
	d.end(attempt, v1alpha1.ResultTimedOut, fmt.Sprintf("Sickbay could not tell whether the machine was healthy after %s", step.Timeout()))
	return d.afterAttempt()
}

// requesting follows the request's condition Succeeded, if it has one. A built-in plan does not know the kind of its request, and
// leaves it to that kind's controller until the timeout.
func (d *draft) requesting(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if d.f.Safety.KeptOff != "" && step.Action == v1alpha1.ActionReboot {
		d.end(attempt, v1alpha1.ResultAborted, d.f.Safety.KeptOff)
		return d.afterAttempt()
	}
	if d.annotates(step) {
		return d.inTime(attempt, step)
	}
	request, kind := d.f.Request, attempt.ObjectRef.Kind
	switch {
	case request == nil || request.OperationID != attempt.OperationID:
		return d.fails(attempt, fmt.Sprintf("Somebody has deleted %s %s", kind, attempt.ObjectRef.Name))
	case builtIn(d.f.Record):
		return d.inTime(attempt, step)
	case request.Unreadable != "":
		d.recheck(d.now.Add(unreadableRetry))
	case request.Succeeded == "False":
		return d.fails(attempt, fmt.Sprintf("%s %s has failed: %s", kind, request.Ref.Name, request.Message))
	case request.Succeeded == "True" && evidence(step):
		d.end(attempt, v1alpha1.ResultSucceeded, fmt.Sprintf("%s %s has succeeded", kind, request.Ref.Name))
		d.s.Step = StepAfter(d.f.Record.Spec.Steps, step.Name)
		return d.afterAttempt()
	}
	return d.inTime(attempt, step)
}
