package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stopped leaves everything as it is while somebody has stopped the record, and stops its clocks. A host that is kept off is
// released: that attempt is over, and does not count.
func (t *turn) stopped() bool {
	reason, message := t.stop()
	if reason == "" {
		return false
	}
	attempt := atWork(&t.s)
	if attempt != nil && t.standsStill(attempt) {
		if t.s.StoppedBy != byDeletion || !t.f.Machine.Deleting() {
			// The clock of a deletion stands anyway, and a pause does not delay a deletion: since when it hangs must not be forgotten.
			t.stopClock(byPause)
		}
		return t.say(v1alpha1.RemediationActing, reason, message)
	}
	if attempt != nil {
		t.end(attempt, v1alpha1.ResultAborted, message)
		if t.hostStands() {
			return t.takesBack("Gives the host back: " + message)
		}
	}
	if t.hostStands() {
		return t.giveHostBack()
	}
	if t.recordIsDeleted() && (t.f.Safety.Terminating != "" || !t.stands()) {
		return t.complete(v1alpha1.ReasonHandedBack, recordDeletedText)
	}
	return t.stopBetweenAttempts(reason, message)
}

// stop says why the record is stopped; empty if it is not. The end of a hold is no event.
func (t *turn) stop() (reason, message string) {
	reason, message = t.f.Safety.stop(t.now)
	if until := t.f.Safety.HoldUntil; reason != "" && until.After(t.now) {
		t.recheck(until)
	}
	return reason, message
}

// standsStill reports whether the attempt at work resumes after the stop. A reboot does not, nor an attempt that has not done
// anything yet: others may have its slot.
func (t *turn) standsStill(attempt *v1alpha1.RemediationAttempt) bool {
	step := t.stepOf(attempt)
	if t.recordIsDeleted() && (t.f.Safety.Terminating != "" || attempt.ObjectRef == nil) {
		return false
	}
	return step.Action != v1alpha1.ActionReboot && (attempt.ObjectRef != nil || !Acts(step.Action))
}

// stopBetweenAttempts handles a record that is stopped between two attempts. Nobody looks at the machine meanwhile, so that time proves nothing.
func (t *turn) stopBetweenAttempts(reason, message string) bool {
	if t.s.RecoveryTime != nil {
		t.s.RecoveryTime, t.s.NextTransitionTime = nil, nil
	}
	switch {
	case t.stands():
		return t.say(v1alpha1.RemediationActing, reason, message)
	case t.needsPerson():
		return t.leaveToPerson()
	}
	if proving(&t.s) != nil {
		t.release()
		return t.say(v1alpha1.RemediationProbation, reason, message)
	}
	t.yield(false)
	if step, ok := t.nextStep(); ok {
		t.settle(step)
	}
	return t.say(v1alpha1.RemediationPending, reason, message)
}

// hostStands reports whether a host is being cycled, or will be, for an attempt that is over.
func (t *turn) hostStands() bool {
	if t.f.Machine.RebootStands {
		return true
	}
	return t.requestStep().Action == v1alpha1.ActionReboot && t.requestStands()
}

func (t *turn) giveHostBack() bool {
	if t.f.Machine.RebootStands {
		return t.withdrawal(WithdrawReboot)
	}
	return t.withdrawRequest()
}
