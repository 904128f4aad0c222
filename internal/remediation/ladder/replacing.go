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
func (d *draft) replacing(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	m := d.f.Machine
	switch {
	case m.Deleting():
		return d.deleting(step)
	case m.Owner == nil:
		return d.fails(attempt, fmt.Sprintf("%s %s does not own the machine any more", attempt.ObjectRef.Kind, attempt.ObjectRef.Name))
	case !m.Mark.Stands():
		return d.fails(attempt, "Somebody has taken the mark for "+m.ownerName()+" away")
	case m.Mark.State == MarkRefused:
		return d.ownerRefuses(attempt)
	case m.Mark.State == MarkAnswered:
		return d.ownerAnswers(attempt, step)
	case m.Mark.State == MarkDeferred:
		d.stopClock(byDeferral)
		return d.goOn(fmt.Sprintf("%s says: %s", m.ownerName(), m.Mark.Message))
	}
	if unanswered := d.runClock(attempt, step).Add(AnswerTime - step.Timeout()); !m.OwnerActive {
		if !d.now.Before(unanswered) {
			d.end(attempt, v1alpha1.ResultRefused, fmt.Sprintf("%s has not answered for %s", m.ownerName(), AnswerTime))
			return d.afterAttempt()
		}
		d.recheck(unanswered)
	}
	return d.inTime(attempt, step)
}

// deleting waits for a machine that is being deleted, which cannot be undone. It only mentions a deletion that takes long.
func (d *draft) deleting(step v1alpha1.RemediationStep) bool {
	if message, overdue := d.overdueDeletion(step); overdue {
		return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonDeletionOverdue, message)
	}
	return d.goOn(d.waitsFor(step))
}

// overdueDeletion reports whether the deletion of the machine takes long, and says so.
func (d *draft) overdueDeletion(step v1alpha1.RemediationStep) (message string, overdue bool) {
	if !NeverGivenUp(d.f.Record, step) {
		// A successor must prove itself in the remaining time.
		d.stopClock(byDeletion)
	}
	since := d.f.Machine.DeletingSince
	if slow := since.Add(DeletionTime); d.now.Before(slow) {
		d.recheck(slow)
		return "", false
	}
	message = "Waiting until the machine is deleted"
	if d.f.Machine.Owner != nil {
		message = "Waiting until " + d.f.Machine.ownerName() + " has replaced the machine"
	}
	return message + "; its deletion began at " + words.Time(since) + " and has not finished", true
}

// ownerAnswers waits for an owner that says it deletes the machine. Usually the deletion follows at once, so at first nothing is
// stored; but if a webhook refuses the deletion, the owner says so for ever.
func (d *draft) ownerAnswers(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if d.s.StoppedBy != byDeletion {
		soon := d.runClock(attempt, step)
		if answered := soon.Add(AnswerTime - step.Timeout()); answered.Before(soon) {
			soon = answered
		}
		if d.now.Before(soon) {
			d.recheck(soon)
			return d.goOn(d.waitsFor(step))
		}
	}
	d.stopClock(byDeletion)
	due := d.s.StoppedTime.Add(DeletionTime)
	if d.now.Before(due) {
		d.recheck(due)
		return d.goOn(d.waitsFor(step))
	}
	return d.fails(attempt, fmt.Sprintf("%s has said since %s that it deletes the machine, but has not done so", d.f.Machine.ownerName(), words.Time(d.s.StoppedTime.Time)))
}

// ownerRefuses gives an owner an hour to change its mind. Its message may change meanwhile.
func (d *draft) ownerRefuses(attempt *v1alpha1.RemediationAttempt) bool {
	d.stopClock(byRefusal)
	message := fmt.Sprintf("%s cannot remediate the machine: %s", d.f.Machine.ownerName(), d.f.Machine.Mark.Message)
	due := d.s.StoppedTime.Add(refusalTime)
	if d.now.Before(due) {
		d.recheck(due)
		return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonRefused, message)
	}
	return d.fails(attempt, message)
}
