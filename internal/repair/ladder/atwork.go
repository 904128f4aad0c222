package ladder

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	case step.Action == v1alpha1.ActionReboot && d.f.Safety.KeptOff.IsSet():
		return d.givesUp(attempt, d.f.Safety.KeptOff.String())
	}
	return d.requesting(attempt, step)
}

// carryOut asks for the act of an attempt, unless something forbids it now.
func (d *draft) carryOut(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if others := d.precedence(step); others.isSet() {
		d.takeBack(attempt, others.message)
		return d.stepBack(step, others)
	}
	if impossible := d.cannotBe(step); impossible != "" {
		return d.impossible(attempt, impossible)
	}
	if brake := d.brake(); brake.isSet() {
		d.takeBack(attempt, brake.message)
		d.getInLine(step)
		return d.stepBack(step, brake)
	}
	return d.act(d.actFor(step), *attempt, step)
}

// cannotBe says why a step can never take effect; empty if it may. What another health check asks for never deletes a machine itself: only an
// owner replaces it. Nor does anything delete a machine of a control plane, whose quorum only its owner knows.
func (d *draft) cannotBe(step v1alpha1.RemediationStep) string {
	if step.Action == v1alpha1.ActionReplace && d.f.Record.Spec.AskedFor() && d.f.Machine.Owner == nil {
		return "No controller owns the machine any more, so nobody would replace it"
	}
	if d.actFor(step) == DeleteMachine && d.f.Machine.ControlPlane {
		return "Sickbay never deletes a control-plane machine: only its owner knows whether the rest can spare it"
	}
	return d.f.Safety.Impossible
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

// busyTime is how long an attempt may wait for somebody who is busy: for the other work of an owner, or for other power cycles.
const busyTime = time.Hour

// asking lets an attempt wait until it begins. Where others wait for its slot, it is taken back when the bound has passed. Otherwise what was
// asked for stays, and only the message changes; but no plan asks for longer than a day.
func (d *draft) asking(attempt *v1alpha1.RemediationAttempt, bound time.Duration, waits, inVain string) bool {
	due, last := attempt.StartTime.Add(bound), attempt.StartTime.Add(longestAsking)
	if before := d.sameRow(); before != nil {
		last = before.StartTime.Add(longestAsking)
	}
	switch {
	case d.now.Before(due):
		d.recheck(due)
		d.s.NextTransitionTime = nil
		if d.f.Bounded {
			d.s.NextTransitionTime = new(metav1.NewTime(due))
		}
		return d.goOn(waits)
	case d.f.Bounded, !d.f.Record.Spec.BuiltIn() && !d.now.Before(last):
		return d.givesUp(attempt, inVain)
	case !d.f.Record.Spec.BuiltIn():
		d.recheck(last)
	}
	d.s.NextTransitionTime = nil
	return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonRefused, inVain)
}

// requesting follows the power cycle, or the request's condition Succeeded if it has one. A built-in plan does not know the kind of its
// request, and leaves it to that kind's controller until the timeout.
func (d *draft) requesting(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	request, reboots := d.f.Request, step.Action == v1alpha1.ActionReboot
	if request == nil || request.OperationID != attempt.OperationID {
		return d.takenAway(attempt)
	}
	if request.Unreadable != "" {
		d.recheck(d.now.Add(unreadableRetry))
	}
	switch {
	case d.f.Record.Spec.BuiltIn() && !reboots:
		return d.inTime(attempt, step)
	case reboots && !d.begun(attempt):
		return d.awaitCycle(attempt, step)
	}
	return d.followRequest(attempt, step)
}

// followRequest goes by what a request says that has begun.
func (d *draft) followRequest(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	request, kind := d.f.Request, attempt.ObjectRef.Kind
	switch {
	case request.Aborted && request.Deleting:
		// Deleting it calls it off.
		return d.takenAway(attempt)
	case request.Aborted:
		d.takeBack(attempt, request.Message)
		return d.afterAttempt()
	case request.Succeeded == "False":
		return d.fails(attempt, fmt.Sprintf("%s %s has failed: %s", kind, request.Ref.Name, request.Message))
	case request.Succeeded == "True" && (evidence(step) || d.f.Record.Spec.OnTheirWord()):
		d.end(attempt, v1alpha1.ResultSucceeded, fmt.Sprintf("%s %s has succeeded", kind, request.Ref.Name))
		d.s.Step = StepAfter(d.f.Record.Spec.Steps, step.Name)
		return d.afterAttempt()
	case step.Until != "":
		// A person who keeps the host off may take any time.
		d.s.NextTransitionTime = nil
		return d.goOn(d.trying(step) + ": " + request.Message)
	}
	return d.inTime(attempt, step)
}

// takenAway ends an attempt whose request somebody has deleted. It has failed, unless nobody had begun it.
func (d *draft) takenAway(attempt *v1alpha1.RemediationAttempt) bool {
	message := fmt.Sprintf("Somebody has deleted %s %s", attempt.ObjectRef.Kind, attempt.ObjectRef.Name)
	if d.begun(attempt) {
		return d.fails(attempt, message)
	}
	return d.givesUp(attempt, message)
}

// awaitCycle waits for a power cycle that has not begun. A person may take any time, so nothing of ours waits for one.
func (d *draft) awaitCycle(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	request := d.f.Request
	switch {
	case request.Impossible:
		return d.impossible(attempt, request.Message)
	case request.Kept != "" && d.f.Record.Spec.AskedFor() && (NeedsNoSlot(d.f.Record) || d.f.Unlimited):
		// Nobody waits for it, and no rack begins at once beyond a limit, so it waits without end.
		d.s.NextTransitionTime = nil
		return d.goOn(d.trying(step) + ": " + request.Kept)
	case request.Kept != "":
		d.s.StoppedBy = byHost
		return d.givesUp(attempt, request.Kept)
	case request.Succeeded == "False":
		return d.givesUp(attempt, request.Message)
	}
	waits, inVain := d.waitsFor(step), fmt.Sprintf("The power cycle has not begun after %s", busyTime)
	if request.Message != "" {
		waits = d.trying(step) + ": waits for its turn: " + request.Message
	}
	if why := cmp.Or(request.Message, request.Unreadable); why != "" {
		inVain += ": " + why
	}
	return d.asking(attempt, busyTime, waits, inVain)
}
