package ladder

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/words"
)

const (
	// AnswerTime is how long an owner may leave all of its marks unanswered.
	AnswerTime = 10 * time.Minute
	// refusalTime is how long an owner may say that it cannot remediate a machine.
	refusalTime = time.Hour
	// DeletionTime is how long a deletion may take, and how long an owner may say that it deletes a machine without doing it.
	DeletionTime = time.Hour
)

// replacing follows the owner's answer.
func (t *turn) replacing(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	m := t.f.Machine
	switch {
	case m.Deleting():
		return t.deleting(step)
	case m.Owner == nil:
		return t.fails(attempt, fmt.Sprintf("%s %s does not own the machine any more", attempt.ObjectRef.Kind, attempt.ObjectRef.Name))
	case !m.Mark.Stands():
		return t.fails(attempt, "Somebody has taken the mark for "+m.ownerName()+" away")
	case m.Mark.State == MarkRefused:
		return t.ownerRefuses(attempt)
	case m.Mark.State == MarkAnswered:
		return t.ownerAnswers(attempt, step)
	case m.Mark.State == MarkDeferred:
		t.stopClock(byDeferral)
		return t.goOn(fmt.Sprintf("%s says: %s", m.ownerName(), m.Mark.Message))
	}
	if unanswered := t.runClock(attempt, step).Add(AnswerTime - step.Timeout()); !m.OwnerActive {
		if !t.now.Before(unanswered) {
			t.end(attempt, v1alpha1.ResultRefused, fmt.Sprintf("%s has not answered for %s", m.ownerName(), AnswerTime))
			return t.afterAttempt()
		}
		t.recheck(unanswered)
	}
	return t.inTime(attempt, step)
}

// deleting waits for a machine that is being deleted, which cannot be undone. It only mentions a deletion that takes long.
func (t *turn) deleting(step v1alpha1.RemediationStep) bool {
	if !NeverGivenUp(t.f.Record, step) {
		// A successor must prove itself in the remaining time.
		t.stopClock(byDeletion)
	}
	since := t.f.Machine.DeletingSince
	if slow := since.Add(DeletionTime); t.now.Before(slow) {
		t.recheck(slow)
		return t.goOn(t.waitsFor(step))
	}
	message := "Waits until the machine is deleted"
	if t.f.Machine.Owner != nil {
		message = "Waits until " + t.f.Machine.ownerName() + " has replaced the machine"
	}
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonDeletionOverdue, message+"; its deletion has not ended since "+words.Time(since))
}

// ownerAnswers waits for an owner that says it deletes the machine. Usually the deletion follows at once, so at first nothing is
// stored; but if a webhook refuses the deletion, the owner says so for ever.
func (t *turn) ownerAnswers(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if t.s.StoppedBy != byDeletion {
		soon := t.runClock(attempt, step)
		if answered := soon.Add(AnswerTime - step.Timeout()); answered.Before(soon) {
			soon = answered
		}
		if t.now.Before(soon) {
			t.recheck(soon)
			return t.goOn(t.waitsFor(step))
		}
	}
	t.stopClock(byDeletion)
	due := t.s.StoppedTime.Add(DeletionTime)
	if t.now.Before(due) {
		t.recheck(due)
		return t.goOn(t.waitsFor(step))
	}
	return t.fails(attempt, fmt.Sprintf("%s has said since %s that it deletes the machine, but has not done so", t.f.Machine.ownerName(), words.Time(t.s.StoppedTime.Time)))
}

// ownerRefuses gives an owner an hour to change its mind. Its message may change meanwhile.
func (t *turn) ownerRefuses(attempt *v1alpha1.RemediationAttempt) bool {
	t.stopClock(byRefusal)
	message := fmt.Sprintf("%s cannot remediate the machine: %s", t.f.Machine.ownerName(), t.f.Machine.Mark.Message)
	due := t.s.StoppedTime.Add(refusalTime)
	if t.now.Before(due) {
		t.recheck(due)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonRefused, message)
	}
	return t.fails(attempt, message)
}
