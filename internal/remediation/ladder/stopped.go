package ladder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stopped leaves everything as it is while somebody has stopped the record, and stops its clocks. A host that is kept off is
// released: that attempt is over, and does not count.
func (d *draft) stopped() bool {
	reason, message := d.stop()
	if reason == "" {
		return false
	}
	attempt := atWork(&d.s)
	if attempt != nil && d.standsStill(attempt) {
		return d.standStill(attempt, reason, message)
	}
	if attempt != nil {
		d.end(attempt, v1alpha1.ResultAborted, message)
		if d.hostStands() {
			return d.withdrawing("Letting go of the host: " + message)
		}
	}
	if d.hostStands() {
		return d.giveHostBack()
	}
	if d.recordIsDeleted() && (d.f.Safety.Terminating != "" || !d.stands()) {
		return d.complete(v1alpha1.ReasonHandedBack, recordDeletedText)
	}
	return d.stopBetweenAttempts(reason, message)
}

// standStill stops the clock of the attempt at work. But a pause does not delay a deletion: that clock stands anyway, and since when the deletion hangs
// must not be forgotten. If it is overdue, the record says so, because others in its domain go on then.
func (d *draft) standStill(attempt *v1alpha1.RemediationAttempt, reason, message string) bool {
	step := d.stepOf(attempt)
	if step.Action != v1alpha1.ActionReplace || !d.f.Machine.Deleting() {
		d.stopClock(byPause)
		return d.say(v1alpha1.RemediationActing, reason, message)
	}
	overdue, slow := d.overdueDeletion(step)
	if !slow {
		return d.say(v1alpha1.RemediationActing, reason, message)
	}
	d.s.Phase = v1alpha1.RemediationActing
	d.condition(v1alpha1.ConditionProgressing, metav1.ConditionUnknown, v1alpha1.ReasonDeletionOverdue, overdue+". "+message)
	return true
}

// stop says why the record is stopped; empty if it is not. The end of a hold is no event.
func (d *draft) stop() (reason, message string) {
	reason, message = d.f.Safety.stop(d.now)
	if until := d.f.Safety.HoldUntil; reason != "" && until.After(d.now) {
		d.recheck(until)
	}
	return reason, message
}

// standsStill reports whether the attempt at work resumes after the stop. A reboot does not, nor an attempt that has not done
// anything yet: others may have its slot.
func (d *draft) standsStill(attempt *v1alpha1.RemediationAttempt) bool {
	step := d.stepOf(attempt)
	if d.recordIsDeleted() && (d.f.Safety.Terminating != "" || attempt.ObjectRef == nil) {
		return false
	}
	return step.Action != v1alpha1.ActionReboot && (attempt.ObjectRef != nil || !Acts(step.Action))
}

// stopBetweenAttempts handles a record that is stopped between two attempts. Nobody looks at the machine meanwhile, so that time proves nothing.
func (d *draft) stopBetweenAttempts(reason, message string) bool {
	if d.s.RecoveryTime != nil {
		d.s.RecoveryTime, d.s.NextTransitionTime = nil, nil
	}
	switch {
	case d.stands():
		return d.say(v1alpha1.RemediationActing, reason, message)
	case d.needsPerson():
		return d.leaveToPerson()
	}
	if proving(&d.s) != nil {
		d.release()
		return d.say(v1alpha1.RemediationProbation, reason, message)
	}
	d.yield(false)
	if step, ok := d.nextStep(); ok {
		d.settle(step)
	}
	return d.say(v1alpha1.RemediationPending, reason, message)
}

// hostStands reports whether a host is being cycled, or will be, for an attempt that is over.
func (d *draft) hostStands() bool {
	if d.f.Machine.RebootStands {
		return true
	}
	return d.requestStep().Action == v1alpha1.ActionReboot && d.requestStands()
}

func (d *draft) giveHostBack() bool {
	if d.f.Machine.RebootStands {
		return d.withdrawal(WithdrawReboot)
	}
	return d.withdrawRequest()
}
