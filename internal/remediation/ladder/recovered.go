package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// recovered starts no further step while the machine is healthy. It withdraws what Sickbay asked for, and the machine must stay
// healthy for the probation.
func (t *turn) recovered() bool {
	if t.f.Machine.Health != Healthy || t.f.Machine.Deleting() {
		return false
	}
	if t.s.RecoveryTime == nil {
		t.s.RecoveryTime = t.time()
	}
	if attempt := atWork(&t.s); attempt != nil {
		t.suspend(attempt)
		if t.stands() {
			return t.takesBack("The machine is healthy; takes back what was asked for")
		}
	}
	due := t.s.RecoveryTime.Add(t.f.Record.Spec.Probation())
	if t.now.Before(due) {
		t.s.NextTransitionTime = t.after(due.Sub(t.time().Time))
		return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "The machine is healthy, and has to stay so")
	}
	return t.awaitOwner() || t.proven()
}

// awaitOwner waits for an owner that says it deletes the machine although the machine is healthy. The record must outlast the mark.
func (t *turn) awaitOwner() bool {
	due := t.answerDue()
	if !t.now.Before(due) {
		return false
	}
	t.s.NextTransitionTime = new(metav1.NewTime(due))
	t.recheck(due)
	return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "The machine is healthy, and "+t.f.Machine.ownerName()+" says that it deletes it")
}

// suspend closes an attempt whose machine is healthy. If it may have repaired the machine, the probation will show.
func (t *turn) suspend(attempt *v1alpha1.RemediationAttempt) {
	if attempt.ObjectRef == nil || !t.repairs(attempt) {
		t.end(attempt, v1alpha1.ResultUnneeded, "The machine has recovered")
		return
	}
	attempt.EndTime = t.time()
	t.s.NextTransitionTime = nil
	t.forgetStop()
}

// proven ends the record of a machine that has stayed healthy.
func (t *turn) proven() bool {
	if open := proving(&t.s); open != nil {
		open.Result, open.Message = v1alpha1.ResultSucceeded, "The machine is healthy"
	}
	switch {
	case t.cancelled():
		return t.complete(v1alpha1.ReasonCancelled, "The machine is healthy; the remediation was cancelled")
	case t.triedRepair():
		return t.complete(v1alpha1.ReasonRecovered, "The machine is healthy")
	}
	return t.complete(v1alpha1.ReasonRecoveredUnaided, "The machine is healthy, and nothing was done")
}

// cancelled reports whether a person cancelled the remediation and nothing was begun since.
func (t *turn) cancelled() bool {
	last := Last(&t.s)
	return t.cancels() || (last != nil && last.Result == v1alpha1.ResultCancelled)
}

// triedRepair reports whether a repair was tried, whether it helped or not.
func (t *turn) triedRepair() bool {
	for i := range t.s.Attempts {
		if attempt := &t.s.Attempts[i]; attempt.ObjectRef != nil && t.repairs(attempt) {
			return true
		}
	}
	return false
}

// repairs reports whether an attempt is meant to repair the machine, unlike evidence and waiting.
func (t *turn) repairs(attempt *v1alpha1.RemediationAttempt) bool {
	step := t.stepOf(attempt)
	return Acts(step.Action) && !evidence(step)
}

const undecidedNow = "Nobody can tell just now whether the machine is healthy"

// unproven goes on with a machine that was healthy, and is not certainly healthy now.
func (t *turn) unproven() bool {
	open := proving(&t.s)
	if t.s.RecoveryTime == nil && open == nil {
		return false
	}
	if t.s.RecoveryTime != nil {
		t.s.RecoveryTime, t.s.NextTransitionTime = nil, nil
	}
	switch {
	case open == nil:
		// Back to where it was.
		return false
	case t.f.Machine.Health == Sick:
		return t.fails(open, "The machine fell sick again in its probation")
	}
	return t.awaitProof(open)
}

// awaitProof waits until the machine is healthy again, for the timeout of the step plus twice the probation. A pause restarts that
// time.
func (t *turn) awaitProof(attempt *v1alpha1.RemediationAttempt) bool {
	limit := latestOf(t.answerDue(), t.proofDue(latestOf(t.deadlineOf(attempt), attempt.EndTime.Time, t.lastPause())))
	if !t.now.Before(limit) {
		attempt.Result, attempt.Message = v1alpha1.ResultFailed, "The machine was not seen healthy for long enough"
		return t.complete(v1alpha1.ReasonUnproven, "What was done could not be proven to help: the machine was not seen healthy for long enough")
	}
	t.recheck(limit)
	t.s.NextTransitionTime = new(metav1.NewTime(limit))
	message := "Waits until the machine is seen healthy again"
	if t.f.Machine.Deleting() {
		message = "Waits until the machine is deleted, as somebody has asked"
	}
	return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonUndecided, message)
}

// deadlineOf returns when an attempt times out whose clock never stopped.
func (t *turn) deadlineOf(attempt *v1alpha1.RemediationAttempt) time.Time {
	if attempt.StartTime == nil {
		return time.Time{}
	}
	return attempt.StartTime.Add(t.stepOf(attempt).Timeout())
}

// lastPause returns when the last pause ended, whether the record saw it or not.
func (t *turn) lastPause() time.Time {
	seen := Progress(&t.f.Record.Status).LastTransitionTime.Time
	if unseen := t.f.ResumedAt; unseen.After(seen) && !unseen.After(t.now) {
		return unseen.Truncate(time.Second)
	}
	return seen
}
