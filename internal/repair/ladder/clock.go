package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// What stops the clock of an attempt, or what the next one waits for.
const (
	byPause    = "Pause"
	byDeletion = "Deletion"
	// byHost: somebody keeps the host. Once nobody does, its Node gets time to come back.
	byHost = "Host"
	// byUnreadable: a request that has to go cannot be read. As long as that stands, it was not seen gone.
	byUnreadable = "Unreadable"
	// byGivenUp: nothing waits for it any more.
	byGivenUp = "GivenUp"
)

// stopClock stops the clock of the attempt at work. It replaces an earlier cause.
func (d *draft) stopClock(by string) {
	if d.s.StoppedTime != nil && d.s.StoppedBy != by {
		if at := d.s.NextTransitionTime; at != nil {
			d.s.NextTransitionTime = new(metav1.NewTime(at.Add(d.stoppedFor())))
		}
		d.s.StoppedTime = nil
	}
	if d.s.StoppedTime == nil {
		d.s.StoppedTime, d.s.StoppedBy = d.time(), by
		d.sinceUnseen(by)
	}
}

// sinceUnseen restarts the clock of the attempt at work if a pause is noticed only after the timeout: nobody looked for that long,
// and the pause may have begun right after the attempt.
func (d *draft) sinceUnseen(by string) {
	attempt := atWork(&d.s)
	if by != byPause || attempt == nil {
		return
	}
	step := d.stepOf(attempt)
	if d.deadline(attempt, step).Before(d.now) {
		d.s.NextTransitionTime = new(metav1.NewTime(d.time().Add(step.Timeout())))
	}
}

func (d *draft) stoppedFor() time.Duration { return max(0, d.time().Sub(d.s.StoppedTime.Time)) }

// forgetStop clears a stop that has ended.
func (d *draft) forgetStop() { d.s.StoppedTime, d.s.StoppedBy = nil, "" }

// runClock resumes the clock of the attempt at work, and returns its deadline. Stopped time does not count, and a pause that nobody
// saw restarts the clock.
func (d *draft) runClock(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) time.Time {
	deadline := d.deadline(attempt, step)
	if d.s.StoppedTime != nil {
		deadline = deadline.Add(d.stoppedFor())
		d.forgetStop()
	}
	if anew := d.unseenPause().Add(step.Timeout()); anew.After(deadline) {
		deadline = anew
	}
	d.s.NextTransitionTime = new(metav1.NewTime(deadline.Truncate(time.Second)))
	return d.s.NextTransitionTime.Time
}

// deadline returns when the attempt at work times out, as far as that is known.
func (d *draft) deadline(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) time.Time {
	switch {
	case d.s.NextTransitionTime != nil:
		return d.s.NextTransitionTime.Time
	case attempt.Begun():
		return attempt.BeganAt.Add(step.Timeout())
	}
	return d.time().Add(step.Timeout())
}

// unseenPause returns when the last pause ended, unless the record saw it: then Progressing has changed its status since, and the
// clock was stopped during the pause.
func (d *draft) unseenPause() time.Time {
	at := d.f.ResumedAt
	if at.After(d.now) || !at.After(d.progressingSince()) {
		return time.Time{}
	}
	return at
}

// proofDue returns until when a machine must be seen healthy: the deadline plus twice the probation.
func (d *draft) proofDue(deadline time.Time) time.Time {
	return deadline.Add(2 * d.f.Record.Spec.Probation())
}

// notLater corrects times that a leader with another clock stored: nothing began later than now, and nothing waits for longer than it would
// if it began now.
func (d *draft) notLater() {
	past := []*metav1.Time{d.s.RecoveryTime, d.s.StoppedTime}
	if last := Last(&d.s); last != nil {
		past = append(past, last.StartTime, last.BeganAt, last.EndTime)
	}
	if asked := atWork(&d.s); asked != nil && !asked.Begun() && asked.StartTime.After(d.now) {
		d.s.NextTransitionTime = nil // Its bound follows from when it was asked for.
	}
	for _, at := range past {
		if at != nil && at.After(d.now) {
			*at = *d.time()
		}
	}
	if next := d.s.NextTransitionTime; next != nil && next.Sub(d.now) > d.longestWait() {
		d.s.NextTransitionTime = stored(d.now.Add(d.longestWait()))
	}
}

// longestWait is the longest time from now until something can follow by itself.
func (d *draft) longestWait() time.Duration {
	if attempt := atWork(&d.s); attempt != nil && attempt.Begun() {
		return d.stepOf(attempt).Timeout()
	}
	// The clocks of leaders differ, and a rest that is cut off is not known as one any more: hence half more.
	longest := max(maxRest+maxRest/2, d.f.BootTime, busyTime, d.f.Record.Spec.Probation())
	for i := range d.f.Record.Spec.Steps {
		longest = max(longest, d.f.Record.Spec.Steps[i].Timeout()+2*d.f.Record.Spec.Probation())
	}
	return longest
}
