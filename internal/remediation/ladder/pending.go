package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// next stores that an attempt is over. What stands of it is withdrawn before anything else begins.
func (t *turn) next() bool {
	t.s.RecoveryTime = nil
	if t.stands() {
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, "Takes back what was asked for: "+t.lastMessage())
	}
	if t.isHeld() {
		return t.hold()
	}
	if step, ok := stepNamed(t.f.Record, t.s.Step); ok && neverGivenUp(t.f.Record, step) {
		t.pauseBefore()
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonBackoff, t.lastMessage()+"; begins again later")
	}
	return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonActing, t.lastMessage())
}

func (t *turn) lastMessage() string {
	if last := latest(&t.s); last != nil {
		return last.Message
	}
	return ""
}

// pauseBefore waits before a step begins again that is never given up, without a slot.
func (t *turn) pauseBefore() {
	t.giveBack()
	t.s.NextTransitionTime = t.after(doubled(firstPause, maxPause, failedInVain(&t.s)))
}

// stepBack gives the slot to the next in line, since the attempt cannot be carried out now. It gets in line again later.
func (t *turn) stepBack(reason, message string) bool {
	t.s.Attempt = max(1, t.s.Attempt)
	if t.s.Step == "" && len(t.s.Attempts) == 0 {
		if step, ok := first(t.f.Record); ok {
			t.s.Step = step.Name
		}
	}
	t.giveBack()
	wait := doubled(firstBackoff, maxBackoff, Fruitless(t.asDecided()))
	if reason == v1alpha1.ReasonRefused {
		wait = doubled(firstPause, maxPause, failedInVain(&t.s))
	}
	t.s.NextTransitionTime = t.after(wait + t.jitter(wait))
	if t.stands() {
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, message)
	}
	return t.say(v1alpha1.RemediationPending, reason, message)
}

// asDecided is the record with the status that is being decided.
func (t *turn) asDecided() *v1alpha1.MachineRemediation {
	return &v1alpha1.MachineRemediation{Spec: t.f.Record.Spec, Status: t.s}
}

// jitter keeps records apart that step back together: up to half of the wait, always the same for a record.
func (t *turn) jitter(wait time.Duration) time.Duration {
	sum := uint32(2166136261)
	for _, b := range []byte(t.f.Record.UID) {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return (wait / 2 * time.Duration(sum%1000) / 1000).Truncate(time.Second)
}

// obstacle says what keeps a step from acting now.
func (t *turn) obstacle(step v1alpha1.RemediationStep) (reason, message string) {
	safety := t.f.Safety
	switch {
	case t.f.Machine.Health == Undecided:
		return v1alpha1.ReasonUndecided, "Nobody can tell just now whether the machine is healthy"
	case safety.HeldByOthers != "":
		return v1alpha1.ReasonRemediationHeldByOthers, safety.HeldByOthers
	case t.taken(step) != "":
		return v1alpha1.ReasonRemediationHeldByOthers, t.taken(step)
	case safety.GateClosed != "":
		return v1alpha1.ReasonGateClosed, safety.GateClosed
	case safety.OverBudget != "":
		return v1alpha1.ReasonNoSlot, safety.OverBudget
	case safety.Changed != "":
		return v1alpha1.ReasonBackoff, safety.Changed
	case safety.Failed != "":
		return v1alpha1.ReasonBackoff, safety.Failed
	}
	return "", ""
}

// taken says that the name of a request is taken by one that is not ours.
func (t *turn) taken(step v1alpha1.RemediationStep) string {
	request := t.f.Request
	if request == nil || request.OperationID != "" || step.Action == v1alpha1.ActionReplace || t.annotates(step) {
		return ""
	}
	return request.Ref.Kind + " " + request.Ref.Name + " exists already and belongs to another object"
}

// pending waits for what the next attempt needs, and begins it.
func (t *turn) pending() bool {
	t.retry()
	t.replaceAsked()
	step, ok := t.nextStep()
	if !ok {
		return t.hold()
	}
	if t.f.Machine.Deleting() {
		t.giveBack()
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers, "Somebody has deleted the machine")
	}
	if !approved(t.asDecided(), step) {
		t.giveBack()
		t.settle(step)
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired, "Step "+step.Name+" waits for a person to approve it")
	}
	if at := t.s.NextTransitionTime; at != nil && t.now.Before(at.Time) {
		t.giveBack()
		t.recheck(at.Time)
		return true
	}
	t.s.NextTransitionTime = nil
	if acts(step.Action) {
		return t.pendingAct(step)
	}
	if t.f.Machine.Health != Sick {
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonUndecided, "Nobody can tell just now whether the machine is healthy")
	}
	t.begin(step)
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
}

// nextStep is the step that is waited for; the rules of the plan may say that it is a later one.
func (t *turn) nextStep() (v1alpha1.RemediationStep, bool) {
	step, ok := NextStep(t.asDecided())
	if ok && t.f.JumpTo != "" && indexOf(t.f.Record, t.f.JumpTo) > indexOf(t.f.Record, step.Name) {
		t.s.Attempt = max(1, t.s.Attempt)
		t.s.Step = t.f.JumpTo
		step, ok = stepNamed(t.f.Record, t.f.JumpTo)
	}
	return step, ok && step.Action != v1alpha1.ActionHold && known(step.Action)
}

// settle stores which step is waited for.
func (t *turn) settle(step v1alpha1.RemediationStep) {
	t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step.Name
}

// pendingAct begins an attempt that acts, once it has a slot. The creation of the record is the intent for the first one;
// the intent for any other is stored before it acts.
func (t *turn) pendingAct(step v1alpha1.RemediationStep) bool {
	if !HasSlot(t.asDecided()) {
		t.settle(step)
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonNoSlot, "Step "+step.Name+" waits for a slot of MachineHealthCheck "+t.f.Record.Spec.HealthCheckRef.Name)
	}
	if reason, message := t.obstacle(step); reason != "" {
		t.settle(step)
		return t.stepBack(reason, message)
	}
	if t.f.Record.Status.Attempt == 0 {
		attempt := v1alpha1.RemediationAttempt{Number: 1, Step: step.Name, OperationID: OperationID(t.f.Record, 1)}
		return t.act(t.actFor(step), attempt, step)
	}
	t.begin(step)
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, t.waitsFor(step))
}
