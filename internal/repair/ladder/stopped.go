package ladder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stopped stops the record while somebody wants that, and its clocks. What nobody has begun is withdrawn under any pause: an owner
// would go by the mark all the same, also if the machine recovers meanwhile. A host that is kept off is released, too.
func (d *draft) stopped() bool {
	reason, message := d.stop()
	if reason == "" {
		return false
	}
	if attempt := atWork(&d.s); attempt != nil {
		if d.f.Record.Spec.OnTheirWord() && d.begun(attempt) && !d.f.Safety.Terminating.IsSet() {
			// Only the person who asked for it ends it. But in a Cluster that is being deleted, the host is released.
			return false
		}
		if d.standsStill(attempt) {
			return d.withdrawStrays(attempt) || d.standStill(attempt, reason, message)
		}
		d.takeBack(attempt, message)
		if d.stands() {
			return d.withdrawing("Withdrawing what was asked for: " + message)
		}
	}
	return d.withdraw() || d.stopBetweenAttempts(reason, message)
}

// standStill stops the clock of the attempt at work. But a pause does not delay a deletion: that clock stands anyway, and since when the deletion hangs
// must not be forgotten. If it is overdue, the record says so, because others in its domain go on then.
func (d *draft) standStill(attempt *v1alpha1.RemediationAttempt, reason, message string) bool {
	step := d.stepOf(attempt)
	if step.Action != v1alpha1.ActionReplace || !d.f.Machine.Deleting() {
		d.stopClock(byPause)
		return d.say(v1alpha1.RemediationActing, reason, message)
	}
	overdue, slow := d.stopForDeletion(step)
	if !slow {
		return d.say(v1alpha1.RemediationActing, reason, message)
	}
	d.s.Phase = v1alpha1.RemediationActing
	d.progress(metav1.ConditionUnknown, v1alpha1.ReasonDeletionOverdue, overdue+". "+message)
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

// standsStill reports whether the attempt at work resumes after the stop. An attempt that nobody has begun does not: others may have its slot. Nor
// does a power cycle that keeps the host off. One that has released the host only restores the Node, so it may finish.
func (d *draft) standsStill(attempt *v1alpha1.RemediationAttempt) bool {
	keepsOff := d.stepOf(attempt).Action == v1alpha1.ActionReboot && (d.f.Request == nil || !d.f.Request.HostReleased)
	return d.begun(attempt) && !keepsOff
}

// stopBetweenAttempts handles a record that is stopped between two attempts. Nobody looks at the machine meanwhile, so that time proves nothing.
func (d *draft) stopBetweenAttempts(reason, message string) bool {
	if d.s.RecoveryTime != nil {
		d.s.RecoveryTime, d.s.NextTransitionTime = nil, nil
	}
	if d.needsPerson() || d.gaveUp() {
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
