package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// recovered starts no further step while the machine is healthy. It withdraws what Sickbay asked for, and the machine must stay
// healthy for the probation.
func (d *draft) recovered() bool {
	if d.f.Machine.Health != Healthy || d.f.Machine.Deleting() {
		return false
	}
	if d.s.RecoveryTime == nil {
		d.s.RecoveryTime = d.time()
	}
	if d.s.StoppedBy == byHost {
		d.forgetStop()
	}
	if attempt := atWork(&d.s); attempt != nil {
		d.suspend(attempt)
		if d.stands() {
			return d.withdrawing("The machine is healthy; withdrawing what was asked for")
		}
	}
	if !d.triedRepair() {
		// Nothing is to be proven, so others may have the slot.
		d.release()
	}
	// Nobody has judged the machine during a pause that the record did not see.
	due := healthcheck.Latest(d.s.RecoveryTime.Time, d.unseenPause()).Add(d.f.Record.Spec.Probation())
	if d.now.Before(due) {
		d.s.NextTransitionTime = d.after(due.Sub(d.time().Time))
		return d.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "The machine is healthy, and has to stay healthy")
	}
	return d.proven()
}

// suspend closes an attempt whose machine is healthy. If it may have repaired the machine, the probation will show.
func (d *draft) suspend(attempt *v1alpha1.RemediationAttempt) {
	if !d.begun(attempt) || !Repairs(d.stepOf(attempt)) {
		d.unneeded(attempt, "The machine has recovered")
		return
	}
	attempt.EndTime = d.time()
	d.noteHostOff(attempt)
	d.s.NextTransitionTime = nil
	d.forgetStop()
}

// proven ends the record of a machine that has stayed healthy.
func (d *draft) proven() bool {
	if open := proving(&d.s); open != nil {
		open.Result, open.Message = v1alpha1.ResultSucceeded, "The machine is healthy"
	}
	switch {
	case d.cancelled():
		return d.complete(v1alpha1.ReasonCancelled, "The machine is healthy; the remediation was cancelled")
	case d.triedRepair():
		return d.complete(v1alpha1.ReasonRecovered, "The machine is healthy")
	}
	return d.complete(v1alpha1.ReasonRecoveredUnaided, "The machine is healthy, and nothing was done")
}

// cancelled reports whether a person cancelled the remediation and nothing was begun since.
func (d *draft) cancelled() bool {
	last := Last(&d.s)
	return d.cancels() || (last != nil && last.Result == v1alpha1.ResultCancelled)
}

// triedRepair reports whether a repair had begun, whether it helped or not.
func (d *draft) triedRepair() bool {
	for i := range d.s.Attempts {
		if attempt := &d.s.Attempts[i]; attempt.Begun() && Repairs(d.stepOf(attempt)) {
			return true
		}
	}
	return false
}

const undecidedNow = "Sickbay cannot tell at the moment whether the machine is healthy"

// unproven goes on with a machine that was healthy, and is not certainly healthy now.
func (d *draft) unproven() bool {
	open := proving(&d.s)
	if d.s.RecoveryTime == nil && open == nil {
		return false
	}
	if d.s.RecoveryTime != nil {
		d.s.RecoveryTime, d.s.NextTransitionTime = nil, nil
	}
	switch {
	case open == nil:
		// Back to where it was.
		return false
	case d.f.Machine.Health == Sick:
		return d.fails(open, "The machine fell sick again in its probation")
	}
	return d.awaitProof(open)
}

// awaitProof waits until the machine is healthy again, for the timeout of the step plus twice the probation. A pause restarts that
// time.
func (d *draft) awaitProof(attempt *v1alpha1.RemediationAttempt) bool {
	limit := d.proofDue(healthcheck.Latest(d.deadlineOf(attempt), attempt.EndTime.Time, d.lastPause()))
	if !d.now.Before(limit) {
		attempt.Result, attempt.Message = v1alpha1.ResultFailed, "The machine was not seen healthy for long enough"
		return d.complete(v1alpha1.ReasonUnproven, "Sickbay could not prove that the repair helped: the machine was not seen healthy for long enough")
	}
	d.recheck(limit)
	d.s.NextTransitionTime = new(metav1.NewTime(limit))
	message := "Waiting for the machine to be healthy again"
	if d.f.Machine.Deleting() {
		message = "Waiting until the machine is deleted, as somebody has asked"
	}
	return d.say(v1alpha1.RemediationProbation, v1alpha1.ReasonUndecided, message)
}

// deadlineOf returns when an attempt times out whose clock never stopped.
func (d *draft) deadlineOf(attempt *v1alpha1.RemediationAttempt) time.Time {
	if !attempt.Begun() {
		return time.Time{}
	}
	return attempt.BeganAt.Add(d.stepOf(attempt).Timeout())
}

// lastPause returns when the last pause ended, whether the record saw it or not.
func (d *draft) lastPause() time.Time {
	return healthcheck.Latest(d.progressingSince(), d.unseenPause().Truncate(time.Second))
}

// progressingSince returns since when Progressing has its status; zero if that is in the future, by the clock of another leader.
func (d *draft) progressingSince() time.Time {
	if since := Progress(&d.f.Record.Status).LastTransitionTime.Time; !since.After(d.now) {
		return since
	}
	return time.Time{}
}
