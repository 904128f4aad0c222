package ladder

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

const (
	// AnswerTime is how long an owner that answers marks may leave all of its marks unanswered.
	AnswerTime = 10 * time.Minute
	// DeletionTime is how long a deletion may take.
	DeletionTime = time.Hour
	// deletesSoon is how long after an attempt an owner may say that it deletes the machine without having done it.
	deletesSoon = time.Minute
)

// replacing follows the owner's answer, or the deletion.
func (d *draft) replacing(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	m := d.f.Machine
	switch {
	case m.Deleting():
		d.followOwner(attempt, step)
		return d.deleting(step)
	case step.Deletes():
		// A deletion is never undone, so the API server was restored from a backup.
		return d.inTime(attempt, step)
	case m.Owner == nil:
		return d.givesUp(attempt, fmt.Sprintf("%s %s does not own the machine any more", attempt.ObjectRef.Kind, attempt.ObjectRef.Name))
	case !m.Mark.Stands():
		return d.fails(attempt, "Somebody removed the mark for "+m.ownerName())
	case d.f.Safety.KeptOff.IsSet():
		// The owner would wipe the disks of a host that a person works on.
		d.takeBack(attempt, d.f.Safety.KeptOff.String())
		return d.afterAttempt()
	case m.Mark.State == MarkRefused:
		return d.impossible(attempt, fmt.Sprintf("%s cannot remediate the machine: %s", m.ownerName(), m.Mark.Message))
	}
	d.followOwner(attempt, step)
	return d.asking(attempt, d.ownerTime(), d.ownerSays(step), d.ownerInVain())
}

// followOwner stores which controller owns the machine: an update in place may move it to another one, which then replaces it.
func (d *draft) followOwner(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) {
	owner := d.f.Machine.Owner
	if step.Deletes() {
		owner = d.owner()
	}
	if owner != nil && owner.UID != attempt.ObjectRef.UID {
		attempt.ObjectRef = owner.DeepCopy()
	}
}

// ownerTime is how long the owner may take until it deletes the machine: an hour if it is busy, or if nobody knows whether owners of its
// kind answer. One that was busy keeps that hour: it comes to this mark only now.
func (d *draft) ownerTime() time.Duration {
	m, attempt, given := d.f.Machine, atWork(&d.s), d.s.NextTransitionTime
	if given != nil && given.After(attempt.StartTime.Add(AnswerTime)) {
		return busyTime
	}
	if m.Mark.State == MarkWaiting && !m.OwnerActive && silence.Answers(schema.FromAPIVersionAndKind(m.Owner.APIVersion, m.Owner.Kind).GroupKind()) {
		return AnswerTime
	}
	return busyTime
}

// AnswerLate reports whether the attempt at work has asked for longer than an owner that answers marks should need. Until then, nobody needs to
// know what else the owner does.
func AnswerLate(record *v1alpha1.MachineRemediation, now time.Time) bool {
	attempt := AtWork(record)
	return attempt != nil && attempt.StartTime != nil && !now.Before(attempt.StartTime.Add(AnswerTime))
}

// ownerSays says what the owner has answered so far.
func (d *draft) ownerSays(step v1alpha1.RemediationStep) string {
	if m := d.f.Machine; m.Mark.State == MarkDeferred {
		return fmt.Sprintf("%s says: %s", m.ownerName(), m.Mark.Message)
	}
	return d.waitsFor(step)
}

// ownerInVain says that the owner has not replaced the machine in its time.
func (d *draft) ownerInVain() string {
	m := d.f.Machine
	switch m.Mark.State {
	case MarkDeferred:
		return fmt.Sprintf("%s has not replaced the machine for %s, and says: %s", m.ownerName(), busyTime, m.Mark.Message)
	case MarkAnswered:
		return fmt.Sprintf("%s says that it deletes the machine, but has not done so for %s", m.ownerName(), busyTime)
	default:
		return fmt.Sprintf("%s has not answered for %s", m.ownerName(), d.ownerTime())
	}
}

// deleting waits for a machine that is being deleted, which cannot be undone. It only mentions a deletion that takes long.
func (d *draft) deleting(step v1alpha1.RemediationStep) bool {
	if message, overdue := d.stopForDeletion(step); overdue {
		return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonDeletionOverdue, message)
	}
	return d.goOn(d.waitsFor(step))
}

// stopForDeletion stops the clock of a step that may end, while the machine is being deleted. It reports whether the deletion takes long, and says so.
func (d *draft) stopForDeletion(step v1alpha1.RemediationStep) (message string, overdue bool) {
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
	return message + "; its deletion began at " + humanize.Time(since) + " and has not finished", true
}
