package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/jitter"
)

const (
	// firstBackoff and maxBackoff are the limits of the wait after an attempt that could not be carried out.
	firstBackoff = 5 * time.Second
	maxBackoff   = 5 * time.Minute
	// firstRest and maxRest are the limits of the wait before a step that is never given up begins again after it failed, or after its
	// owner refused.
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

// rest waits before a step begins again that is never given up, or that nobody began.
func (d *draft) rest(last *v1alpha1.RemediationAttempt) {
	if wait := d.restAfter(last); wait > 0 {
		at := stored(last.EndTime.Add(wait))
		d.recheck(at.Time)
		d.s.NextTransitionTime = at
	}
}

// restAfter returns how long the record waits after an attempt; zero if the next one may begin at once.
func (d *draft) restAfter(last *v1alpha1.RemediationAttempt) time.Duration {
	inVain := last.Result == v1alpha1.ResultImpossible || (last.Result != "" && last.Result.Counts())
	switch {
	case endedNotBegun(*last) && last.ObjectRef == nil:
		// Nobody was asked, so what kept Sickbay from asking says how long it waits.
		return 0
	case endedNotBegun(*last):
		return doubled(firstBackoff, maxBackoff, int(max(1, last.Count)))
	case last.Result == v1alpha1.ResultAborted:
		return doubled(firstBackoff, maxBackoff, aborted(&d.s))
	case inVain && NeverGivenUp(d.f.Record, d.stepOf(last)):
		return doubled(firstRest, maxRest, failedInVain(&d.s))
	}
	return 0
}

// ownerChanged reports whether the record rests because its owner did not act, and the machine has a different owner now.
func (d *draft) ownerChanged() bool {
	last, owner := Last(&d.s), d.f.Machine.Owner
	if last == nil || last.ObjectRef == nil || d.stepOf(last).Action != v1alpha1.ActionReplace || !d.restsAfter(last) {
		return false
	}
	return owner == nil || owner.UID != last.ObjectRef.UID
}

// restsAfter reports whether the record waits because of its last attempt, and not for a later reason.
func (d *draft) restsAfter(last *v1alpha1.RemediationAttempt) bool {
	return last.EndTime != nil && d.s.NextTransitionTime.Time.Equal(last.EndTime.Add(d.restAfter(last)))
}

func restReason(last *v1alpha1.RemediationAttempt) string {
	if last != nil && last.Result == v1alpha1.ResultImpossible {
		return v1alpha1.ReasonRefused
	}
	return v1alpha1.ReasonBackoff
}

// stepBack gives the slot to the next in line, since the step cannot act now. It gets in line again later.
func (d *draft) stepBack(step v1alpha1.RemediationStep, why obstacle) bool {
	d.settle(step)
	if d.stands() {
		d.inLine = false
		return d.withdrawing(why.message)
	}
	d.yield(why.hidden)
	if d.f.Safety.KeptOff.IsSet() {
		d.s.StoppedBy = byHost
	}
	return d.say(v1alpha1.RemediationPending, why.reason, why.message)
}

// yield releases an unused slot, and leaves the line for a while. What the caches show is checked again when it changes, so the
// wait does not grow with each time. What somebody asked for has no slot to release, and waits only for what the caches do not show.
func (d *draft) yield(hidden bool) {
	if d.release() || (hidden && d.f.Record.Spec.AskedFor()) {
		wait := firstBackoff
		if hidden {
			wait = doubled(firstBackoff, maxBackoff, d.fruitless())
		}
		d.s.NextTransitionTime = d.after(wait + jitter.UpTo(wait/2, d.f.Record.UID).Truncate(time.Second))
	}
	d.forgetBackoff()
}

// fruitless returns how often the record has tried in vain to ask for its step.
func (d *draft) fruitless() int {
	if last := Last(&d.s); d.f.Record.Spec.AskedFor() && last != nil && endedNotBegun(*last) {
		return int(last.Count)
	}
	return Fruitless(d.asDecided())
}

// backsOff waits without a slot until the time that the last attempt set.
func (d *draft) backsOff(step v1alpha1.RemediationStep) bool {
	if at := d.s.NextTransitionTime; at == nil || !d.now.Before(at.Time) || d.ownerChanged() {
		return false
	}
	d.release()
	d.getInLine(step)
	d.recheck(d.s.NextTransitionTime.Time)
	last := Last(&d.s)
	if (last == nil || !d.restsAfter(last)) && d.saysWhy() {
		return true
	}
	if last == nil || last.Message == "" {
		return d.say(v1alpha1.RemediationPending, v1alpha1.ReasonBackoff, "Step "+step.Name+" could not be carried out; it will be tried again later")
	}
	return d.say(v1alpha1.RemediationPending, restReason(last), last.Message+"; the step begins again later")
}

// saysWhy reports whether the record says why it backs off. A later pause or hold is not the reason.
func (d *draft) saysWhy() bool {
	switch d.reason() {
	case v1alpha1.ReasonGateClosed, v1alpha1.ReasonNoSlot, v1alpha1.ReasonRemediationHeldByOthers, v1alpha1.ReasonUndecided,
		v1alpha1.ReasonBackoff, v1alpha1.ReasonRefused:
		return true
	}
	return false
}
