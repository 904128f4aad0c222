package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stopped leaves everything where it stands while somebody wants it so, and stops its clocks. A host that is kept off is
// given back: that attempt is over, and does not count.
func (t *turn) stopped() bool {
	reason, message := t.f.Safety.stop()
	if reason == "" {
		return false
	}
	if attempt := atWork(&t.s); attempt != nil {
		if step, _ := stepNamed(t.f.Record, attempt.Step); step.Action == v1alpha1.ActionReboot {
			t.end(attempt, v1alpha1.ResultAborted, message)
			return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, "Gives the host back: "+message)
		}
		t.stopClock()
		return t.say(v1alpha1.RemediationActing, reason, message)
	}
	if last := latest(&t.s); last != nil && t.reboots(last) && (t.withdrawReboot(last) || t.withdrawRequest()) {
		return true
	}
	if t.f.Safety.Terminating != "" && !t.f.Record.DeletionTimestamp.IsZero() {
		return t.complete(v1alpha1.ReasonHandedBack, message)
	}
	// A machine that is not looked at proves nothing meanwhile.
	t.s.RecoveryTime = nil
	if !t.f.Safety.HoldUntil.IsZero() {
		t.recheck(t.f.Safety.HoldUntil)
	}
	if t.isHeld() {
		return t.hold()
	}
	t.giveBack()
	return t.say(v1alpha1.RemediationPending, reason, message)
}

// stop is the first reason for which nothing may go on.
func (s Safety) stop() (reason, message string) {
	switch {
	case s.Paused != "":
		return v1alpha1.ReasonPaused, s.Paused
	case s.OnHold != "":
		return v1alpha1.ReasonOnHold, s.OnHold
	case s.Terminating != "":
		return v1alpha1.ReasonPaused, s.Terminating
	}
	return "", ""
}

func (t *turn) reboots(attempt *v1alpha1.RemediationAttempt) bool {
	step, _ := stepNamed(t.f.Record, attempt.Step)
	return step.Action == v1alpha1.ActionReboot
}

// stopClock stops the clock of the attempt at work.
func (t *turn) stopClock() {
	if t.s.StoppedTime == nil {
		t.s.StoppedTime = t.time()
	}
}

// runClock lets the clock of the attempt at work go on. It begins anew after a pause that may have gone unseen.
func (t *turn) runClock(attempt *v1alpha1.RemediationAttempt) {
	if t.s.NextTransitionTime == nil {
		return
	}
	deadline := t.s.NextTransitionTime.Time
	if t.s.StoppedTime != nil {
		deadline = deadline.Add(t.time().Sub(t.s.StoppedTime.Time))
		t.s.StoppedTime = nil
	}
	if step, ok := stepNamed(t.f.Record, attempt.Step); ok && t.f.ResumedAt.Add(step.Timeout()).After(deadline) {
		deadline = t.f.ResumedAt.Add(step.Timeout())
	}
	if !deadline.Equal(t.s.NextTransitionTime.Time) {
		t.s.NextTransitionTime = t.after(deadline.Sub(t.now.Truncate(1e9)))
	}
}

// giveBack gives the slot back, if the record has one, to those who wait.
func (t *turn) giveBack() {
	t.s.ReleasedGrant = max(t.s.ReleasedGrant, t.f.Record.Spec.Grant)
}
