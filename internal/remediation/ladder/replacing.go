package ladder

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// AnswerTime is how long an owner may leave all of its marks unanswered.
	AnswerTime = 10 * time.Minute
	// refusalTime is for how long an owner may say that it cannot remediate a machine.
	refusalTime = time.Hour
)

// replacing goes by what the owner says.
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
		return t.ownerRefuses(attempt, step)
	case m.Mark.State == MarkAnswered:
		// The deletion follows at once, and needs no word of ours.
		return t.ownerActs(step, t.waitsFor(step))
	case m.Mark.State == MarkDeferred:
		t.stopClock()
		return t.goOn(fmt.Sprintf("%s says: %s", m.ownerName(), m.Mark.Message))
	}
	if unanswered := t.runClock(attempt, step).Add(AnswerTime - step.Timeout()); !m.OwnerActive {
		if !t.now.Before(unanswered) {
			t.end(attempt, v1alpha1.ResultRefused, fmt.Sprintf("%s has not answered for %s", m.ownerName(), AnswerTime))
			return t.next()
		}
		t.recheck(unanswered)
	}
	return t.inTime(attempt, step)
}

// deleting waits for a machine on its way out, which nothing brings back. Only a deletion that takes long is worth a word.
func (t *turn) deleting(step v1alpha1.RemediationStep) bool {
	slow := t.f.Machine.DeletingSince.Add(time.Hour)
	if t.now.Before(slow) {
		t.recheck(slow)
		return t.ownerActs(step, t.waitsFor(step))
	}
	message := "Waits until the machine is deleted; that takes longer than an hour"
	if t.f.Machine.Owner != nil {
		message = "Waits until " + t.f.Machine.ownerName() + " has replaced the machine; its deletion takes longer than an hour"
	}
	return t.ownerActs(step, message)
}

// ownerActs leaves the time to the owner, which has begun what the step is for. Where a successor has to prove itself, there
// is a clock to be stopped.
func (t *turn) ownerActs(step v1alpha1.RemediationStep, message string) bool {
	if !neverGivenUp(t.f.Record, step) {
		t.stopClock()
	}
	return t.goOn(message)
}

// ownerRefuses gives an owner an hour to change its mind. Its message may change meanwhile, its refusal may not.
func (t *turn) ownerRefuses(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if t.reason() != v1alpha1.ReasonRefused {
		// The clock may have been stopped for something else.
		t.runClock(attempt, step)
	}
	t.stopClock()
	message := fmt.Sprintf("%s cannot remediate the machine: %s", t.f.Machine.ownerName(), t.f.Machine.Mark.Message)
	due := t.s.StoppedTime.Add(refusalTime)
	if t.now.Before(due) {
		t.recheck(due)
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonRefused, message)
	}
	return t.fails(attempt, message)
}
