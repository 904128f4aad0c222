package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/spread"
)

const (
	// firstBackoff and maxBackoff are the limits of the wait after an attempt that could not be carried out.
	firstBackoff = 5 * time.Second
	maxBackoff   = 5 * time.Minute
	// firstRest and maxRest are the limits of the wait before a step that is never given up begins again after a failure, or whose
	// owner has not answered.
	firstRest = 5 * time.Minute
	maxRest   = time.Hour
)

// doubled returns the n-th value of a series that begins with first and doubles up to most.
func doubled(first, most time.Duration, n int) time.Duration {
	wait := first
	for i := 1; i < n && wait < most; i++ {
		wait *= 2
	}
	return min(wait, most)
}

// rest waits before a step that is never given up begins again, or whose owner has not answered.
func (t *turn) rest(last *v1alpha1.RemediationAttempt) {
	if last.Result == v1alpha1.ResultRefused || (last.Result.Counts() && NeverGivenUp(t.f.Record, t.stepOf(last))) {
		t.s.NextTransitionTime = t.after(doubled(firstRest, maxRest, failedInVain(&t.s)))
	}
}

// ownerChanged reports whether the record rests because its owner did not act, and the machine has a different owner now.
func (t *turn) ownerChanged() bool {
	last, owner := Last(&t.s), t.f.Machine.Owner
	if last == nil || last.ObjectRef == nil || t.stepOf(last).Action != v1alpha1.ActionReplace || !t.restsAfter(last) {
		return false
	}
	return owner == nil || owner.UID != last.ObjectRef.UID
}

// restsAfter reports whether the record waits because of its last attempt, and not for a later reason.
func (t *turn) restsAfter(last *v1alpha1.RemediationAttempt) bool {
	rest := doubled(firstRest, maxRest, failedInVain(&t.s))
	return last.EndTime != nil && t.s.NextTransitionTime.Time.Equal(last.EndTime.Add(rest))
}

func restReason(last *v1alpha1.RemediationAttempt) string {
	if last != nil && last.Result == v1alpha1.ResultRefused {
		return v1alpha1.ReasonRefused
	}
	return v1alpha1.ReasonBackoff
}

// stepBack gives the slot to the next in line, since the step cannot act now. It gets in line again later.
func (t *turn) stepBack(step v1alpha1.RemediationStep, why obstacle) bool {
	t.settle(step)
	if t.stands() {
		t.inLine = false
		return t.takesBack(why.message)
	}
	t.yield(why.hidden)
	return t.say(v1alpha1.RemediationPending, why.reason, why.message)
}

// yield releases an unused slot, and leaves the line for a while. What the caches show is checked again when it changes, so the
// wait does not grow with each time.
func (t *turn) yield(hidden bool) {
	if t.release() {
		wait := firstBackoff
		if hidden {
			wait = doubled(firstBackoff, maxBackoff, Fruitless(t.asDecided()))
		}
		t.s.NextTransitionTime = t.after(wait + spread.UpTo(wait/2, t.f.Record.UID).Truncate(time.Second))
	}
	t.forgetBackoff()
}

// backsOff waits without a slot until the time that the last attempt set.
func (t *turn) backsOff(step v1alpha1.RemediationStep) bool {
	if at := t.s.NextTransitionTime; at == nil || !t.now.Before(at.Time) || t.ownerChanged() {
		return false
	}
	t.release()
	t.getInLine(step)
	t.recheck(t.s.NextTransitionTime.Time)
	last := Last(&t.s)
	if (last == nil || !t.restsAfter(last)) && t.saysWhy() {
		return true
	}
	if last == nil || last.Message == "" {
		return t.say(v1alpha1.RemediationPending, v1alpha1.ReasonBackoff, "Step "+step.Name+" could not be carried out; tries again later")
	}
	return t.say(v1alpha1.RemediationPending, restReason(last), last.Message+"; begins again later")
}

// saysWhy reports whether the record says why it backs off. A later pause or hold is not the reason.
func (t *turn) saysWhy() bool {
	switch t.reason() {
	case v1alpha1.ReasonGateClosed, v1alpha1.ReasonNoSlot, v1alpha1.ReasonRemediationHeldByOthers, v1alpha1.ReasonUndecided,
		v1alpha1.ReasonBackoff, v1alpha1.ReasonRefused:
		return true
	}
	return false
}
