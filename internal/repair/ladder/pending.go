package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// pending waits for what the next attempt needs, and begins it.
func (d *draft) pending() bool {
	again := d.applyRetry()
	step, ok := d.nextStep()
	if ok && !again && !allows(d.personsDecision()) && inherited(&d.s, step) == nil {
		step = d.jump(step)
	}
	if d.needsPerson() {
		return d.leaveToPerson()
	}
	if others := d.precedence(step); others.isSet() {
		return d.stepBack(step, others)
	}
	if d.awaitsBoot(step, again) {
		return true
	}
	if (!again && d.awaitsPerson(step)) || d.backsOff(step) {
		return true
	}
	d.s.NextTransitionTime = nil
	if Acts(step.Action) {
		return d.pendingAct(step)
	}
	d.begin(step)
	return d.goOn(d.waitsFor(step))
}

// awaitsPerson waits for a person who must approve the step, or decide about one that nobody has begun for a day.
func (d *draft) awaitsPerson(step v1alpha1.RemediationStep) bool {
	switch {
	case !approved(d.asDecided(), step):
		d.settle(step)
		d.release()
		d.forgetBackoff()
		return d.say(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired, "Step "+step.Name+" waits for a person to approve it")
	case d.askedForADay(step):
		d.s.Step = ""
		return d.leaveToPerson()
	}
	return false
}

// awaitsBoot gives the Node time to come back once nobody keeps its host off any more, or works on it. Only after that does the record get in
// line, unless a person wants it again at once.
func (d *draft) awaitsBoot(step v1alpha1.RemediationStep, again bool) bool {
	kept := d.s.StoppedBy == byHost
	if kept {
		d.forgetStop()
	}
	if !kept || again || d.f.BootTime == 0 {
		return false
	}
	d.settle(step)
	d.release()
	d.s.NextTransitionTime = d.after(d.f.BootTime)
	return d.say(v1alpha1.RemediationPending, v1alpha1.ReasonBackoff, "Nobody keeps the host of the machine any more; waiting for its Node to come back")
}

// forgetBackoff clears a back-off that is over, and otherwise asks for a look at its end, so that the status never shows a time in
// the past.
func (d *draft) forgetBackoff() {
	switch at := d.s.NextTransitionTime; {
	case at == nil:
	case at.After(d.now):
		d.recheck(at.Time)
	default:
		d.s.NextTransitionTime = nil
	}
}

// jump goes forward to the step that the rules of the plan ask for. An approval given meanwhile is for the earlier step, so it uses
// a new attempt number.
func (d *draft) jump(step v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	to := IndexOf(d.f.Record.Spec.Steps, d.f.JumpTo)
	if to <= IndexOf(d.f.Record.Spec.Steps, step.Name) {
		return step
	}
	if d.s.Attempt > 0 && step.NeedsApproval() {
		d.s.Attempt++
	}
	d.settle(d.f.Record.Spec.Steps[to])
	return d.f.Record.Spec.Steps[to]
}

// pendingAct begins an attempt that acts, once it has a slot. A record with a slot is the intent for its first attempt. Any other intent is stored
// before the act: those who give slots count what may have been done already.
func (d *draft) pendingAct(step v1alpha1.RemediationStep) bool {
	if !d.mayAct() {
		return d.waitForSlot(step)
	}
	if impossible := d.cannotBe(step); impossible != "" {
		return d.impossible(d.begin(step), impossible)
	}
	if brake := d.brake(); brake.isSet() {
		if d.s.Attempt == 0 && d.f.Safety.Failed != "" {
			// Its number is used up: the act may still take effect.
			d.takeBack(d.begin(step), brake.message)
		}
		d.getInLine(step)
		return d.stepBack(step, brake)
	}
	if d.s.Attempt == 0 && !d.changed() && !d.f.Record.Spec.AskedFor() {
		attempt := v1alpha1.RemediationAttempt{Number: 1, Step: step.Name, OperationID: OperationID(d.f.Record, 1)}
		return d.act(d.actFor(step), attempt, step)
	}
	d.begin(step)
	return d.goOn(d.waitsFor(step))
}

// waitForSlot gets in line.
func (d *draft) waitForSlot(step v1alpha1.RemediationStep) bool {
	d.settle(step)
	d.getInLine(step)
	if paced := d.f.Safety.Paced; paced != "" {
		return d.say(v1alpha1.RemediationPending, v1alpha1.ReasonPaced, paced)
	}
	of := "MachineHealthCheck " + d.f.Record.Spec.HealthCheckRef.Name
	if d.f.Record.Spec.AskedFor() {
		of = "the MachineHealthCheck of the machine"
	}
	return d.say(v1alpha1.RemediationPending, v1alpha1.ReasonNoSlot, "Step "+step.Name+" waits for a slot of "+of)
}
