package ladder

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// atWork goes on with the attempt at work: it carries the attempt out if nothing of it is visible yet, or ends it if it failed or
// timed out.
func (t *turn) atWork() bool {
	attempt := atWork(&t.s)
	if attempt == nil {
		return false
	}
	step, ok := StepNamed(t.f.Record, attempt.Step)
	switch {
	case !ok:
		return t.fails(attempt, "The plan has no such step")
	case !Acts(step.Action):
		return t.inTime(attempt, step)
	case attempt.ObjectRef == nil:
		return t.carryOut(attempt, step)
	case step.Action == v1alpha1.ActionReplace:
		return t.replacing(attempt, step)
	}
	return t.requesting(attempt, step)
}

// carryOut asks for the act of an attempt, unless something forbids it now.
func (t *turn) carryOut(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if others := t.precedence(step); others.stands() {
		t.end(attempt, v1alpha1.ResultAborted, others.message)
		return t.stepBack(step, others)
	}
	if brake := t.brake(); brake.stands() {
		t.end(attempt, v1alpha1.ResultAborted, brake.message)
		t.getInLine(step)
		return t.stepBack(step, brake)
	}
	return t.act(t.actFor(step), *attempt, step)
}

// actFor returns the act of a step.
func (t *turn) actFor(step v1alpha1.RemediationStep) Act {
	switch {
	case step.Action == v1alpha1.ActionRequest:
		return CreateRequest
	case t.annotates(step):
		return AnnotateReboot
	case step.Action == v1alpha1.ActionReboot:
		return CreateReboot
	case t.f.Machine.Owner == nil:
		return DeleteMachine
	}
	return MarkForOwner
}

// inTime lets the attempt go on until it times out.
func (t *turn) inTime(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	deadline := t.runClock(attempt, step)
	switch {
	case t.now.Before(deadline):
		t.recheck(deadline)
		return t.goOn(t.waitsFor(step))
	case t.f.Machine.Health == Sick:
		t.end(attempt, v1alpha1.ResultTimedOut, t.inVain(attempt, step))
		return t.afterAttempt()
	}
	limit := t.proofDue(deadline)
	if t.now.Before(limit) {
		// Nothing follows on a machine that cannot be judged, and nothing waits for it for ever.
		t.recheck(limit)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonUndecided, "The time of the step is up, and nobody can tell whether the machine is healthy")
	}
	t.end(attempt, v1alpha1.ResultTimedOut, fmt.Sprintf("Nobody could tell whether the machine is healthy after %s", step.Timeout()))
	return t.afterAttempt()
}

// requesting follows the request's condition Succeeded, if it has one. A built-in plan does not know the kind of its request, and
// leaves it to that kind's controller until the timeout.
func (t *turn) requesting(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if t.f.Safety.KeptOff != "" && step.Action == v1alpha1.ActionReboot {
		t.end(attempt, v1alpha1.ResultAborted, t.f.Safety.KeptOff)
		return t.afterAttempt()
	}
	if t.annotates(step) {
		return t.inTime(attempt, step)
	}
	request, kind := t.f.Request, attempt.ObjectRef.Kind
	switch {
	case request == nil || request.OperationID != attempt.OperationID:
		return t.fails(attempt, fmt.Sprintf("Somebody has deleted %s %s", kind, attempt.ObjectRef.Name))
	case builtIn(t.f.Record):
		return t.inTime(attempt, step)
	case request.Unreadable != "":
		t.recheck(t.now.Add(unreadableRetry))
	case request.Succeeded == "False":
		return t.fails(attempt, fmt.Sprintf("%s %s has failed: %s", kind, request.Ref.Name, request.Message))
	case request.Succeeded == "True" && evidence(step):
		t.end(attempt, v1alpha1.ResultSucceeded, fmt.Sprintf("%s %s has succeeded", kind, request.Ref.Name))
		t.s.Step = StepAfter(t.f.Record.Spec.Steps, step.Name)
		return t.afterAttempt()
	}
	return t.inTime(attempt, step)
}
