package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// pending waits for what the next attempt needs, and begins it.
func (t *turn) pending() bool {
	again := t.retried()
	step, ok := t.nextStep()
	if ok && !again && !allows(t.personsDecision()) && inherited(&t.s, step) == nil {
		step = t.jump(step)
	}
	if t.needsPerson() {
		return t.leaveToPerson()
	}
	if others := t.precedence(step); others.stands() {
		return t.stepBack(step, others)
	}
	if !again && !approved(t.asDecided(), step) {
		t.settle(step)
		t.release()
		t.forgetBackoff()
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired, "Step "+step.Name+" waits for a person to approve it")
	}
	if t.backsOff(step) {
		return true
	}
	t.s.NextTransitionTime = nil
	if Acts(step.Action) {
		return t.pendingAct(step)
	}
	t.begin(step)
	return t.goOn(t.waitsFor(step))
}

// forgetBackoff clears a back-off that is over, and otherwise asks for a look at its end, so that the status never shows a time in
// the past.
func (t *turn) forgetBackoff() {
	switch at := t.s.NextTransitionTime; {
	case at == nil:
	case at.After(t.now):
		t.recheck(at.Time)
	default:
		t.s.NextTransitionTime = nil
	}
}

// jump goes forward to the step that the rules of the plan ask for. An approval given meanwhile is for the earlier step, so it uses
// a new attempt number.
func (t *turn) jump(step v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	to := indexOf(t.f.Record, t.f.JumpTo)
	if to <= indexOf(t.f.Record, step.Name) {
		return step
	}
	if t.s.Attempt > 0 && step.Approval == v1alpha1.ApprovalRequired {
		t.s.Attempt++
	}
	t.settle(t.f.Record.Spec.Steps[to])
	return t.f.Record.Spec.Steps[to]
}

// pendingAct begins an attempt that acts, once it has a slot. Creating the record is the intent for the first attempt; the intent
// for any other is stored before it acts.
func (t *turn) pendingAct(step v1alpha1.RemediationStep) bool {
	if !HasSlot(t.asDecided()) {
		return t.waitForSlot(step)
	}
	if brake := t.brake(); brake.stands() {
		if t.s.Attempt == 0 && t.f.Safety.Failed != "" {
			// Its number is used up: the act may still take effect.
			t.end(t.begin(step), v1alpha1.ResultAborted, brake.message)
		}
		t.getInLine(step)
		return t.stepBack(step, brake)
	}
	if t.s.Attempt == 0 && !t.changed() {
		attempt := v1alpha1.RemediationAttempt{Number: 1, Step: step.Name, OperationID: OperationID(t.f.Record, 1)}
		return t.act(t.actFor(step), attempt, step)
	}
	t.begin(step)
	return t.goOn(t.waitsFor(step))
}

// waitForSlot gets in line.
func (t *turn) waitForSlot(step v1alpha1.RemediationStep) bool {
	t.settle(step)
	t.getInLine(step)
	if paced := t.f.Safety.Paced; paced != "" {
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonPaced, paced)
	}
	return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonNoSlot,
		"Step "+step.Name+" waits for a slot of MachineHealthCheck "+t.f.Record.Spec.HealthCheckRef.Name)
}
