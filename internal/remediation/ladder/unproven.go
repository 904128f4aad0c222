package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const undecidedNow = "Nobody can tell just now whether the machine is healthy"

// unproven goes on with a machine that was healthy, and is not for certain now.
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
		// Back to where it stood.
		return false
	case t.f.Machine.Health == Sick:
		return t.fails(open, "The machine fell sick again in its probation")
	}
	return t.awaitProof(open)
}

// awaitProof waits until the machine is seen healthy again, for the time of the step and twice the probation. A pause
// begins that time anew.
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

// deadlineOf is when the time of an attempt is up that nobody has stopped.
func (t *turn) deadlineOf(attempt *v1alpha1.RemediationAttempt) time.Time {
	if attempt.StartTime == nil {
		return time.Time{}
	}
	return attempt.StartTime.Add(t.stepOf(attempt).Timeout())
}

// lastPause is when the last pause ended, seen or not.
func (t *turn) lastPause() time.Time {
	seen := progressing(&t.f.Record.Status).LastTransitionTime.Time
	if unseen := t.f.ResumedAt; unseen.After(seen) && !unseen.After(t.now) {
		return unseen.Truncate(time.Second)
	}
	return seen
}
