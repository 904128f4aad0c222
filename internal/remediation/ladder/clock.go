package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// What stops the clock of an attempt.
const (
	byPause    = "Pause"
	byDeferral = "Deferral"
	byRefusal  = "Refusal"
	byDeletion = "Deletion"
)

// stopClock stops the clock of the attempt at work. It replaces an earlier cause.
func (t *turn) stopClock(by string) {
	if t.s.StoppedTime != nil && t.s.StoppedBy != by {
		if at := t.s.NextTransitionTime; at != nil {
			t.s.NextTransitionTime = new(metav1.NewTime(at.Add(t.stoppedFor())))
		}
		t.s.StoppedTime = nil
	}
	if t.s.StoppedTime == nil {
		t.s.StoppedTime, t.s.StoppedBy = t.time(), by
		t.sinceUnseen(by)
	}
}

// sinceUnseen restarts the clock of the attempt at work if a pause is noticed only after the timeout: nobody looked for that long,
// and the pause may have begun right after the attempt.
func (t *turn) sinceUnseen(by string) {
	attempt := atWork(&t.s)
	if by != byPause || attempt == nil {
		return
	}
	step := t.stepOf(attempt)
	if t.deadline(attempt, step).Before(t.now) {
		t.s.NextTransitionTime = new(metav1.NewTime(t.time().Add(step.Timeout())))
	}
}

func (t *turn) stoppedFor() time.Duration { return max(0, t.time().Sub(t.s.StoppedTime.Time)) }

// forgetStop clears a stop that has ended.
func (t *turn) forgetStop() { t.s.StoppedTime, t.s.StoppedBy = nil, "" }

// runClock resumes the clock of the attempt at work, and returns its deadline. Stopped time does not count, and a pause that nobody
// saw restarts the clock.
func (t *turn) runClock(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) time.Time {
	deadline := t.deadline(attempt, step)
	if t.s.StoppedTime != nil {
		deadline = deadline.Add(t.stoppedFor())
		t.forgetStop()
	}
	if anew := t.unseenPause().Add(step.Timeout()); anew.After(deadline) {
		deadline = anew
	}
	t.s.NextTransitionTime = new(metav1.NewTime(deadline.Truncate(time.Second)))
	return t.s.NextTransitionTime.Time
}

// deadline returns when the attempt at work times out, as far as that is known.
func (t *turn) deadline(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) time.Time {
	switch {
	case t.s.NextTransitionTime != nil:
		return t.s.NextTransitionTime.Time
	case attempt.StartTime != nil:
		return attempt.StartTime.Add(step.Timeout())
	}
	return t.time().Add(step.Timeout())
}

// unseenPause returns when the last pause ended, unless the record saw it: then Progressing has changed its status since, and the
// clock was stopped during the pause.
func (t *turn) unseenPause() time.Time {
	at := t.f.ResumedAt
	if at.After(t.now) || !at.After(Progress(&t.f.Record.Status).LastTransitionTime.Time) {
		return time.Time{}
	}
	return at
}

// proofDue returns until when a machine must be seen healthy: the deadline plus twice the probation.
func (t *turn) proofDue(deadline time.Time) time.Time {
	return deadline.Add(2 * t.f.Record.Spec.Probation())
}

func latestOf(times ...time.Time) time.Time {
	last := time.Time{}
	for _, each := range times {
		if each.After(last) {
			last = each
		}
	}
	return last
}
