package cycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// This file has the waits before an attempt begins, and the waits without a deadline.

// suspend stops all deadlines, because the cycle waits for somebody else. Others still wait for the cycle.
func (d *draft) suspend() {
	d.s.UnavailableSince = nil
	if d.s.SuspendedSince == nil {
		d.s.SuspendedSince = d.time()
	}
}

// resume records that the cycle no longer waits for somebody else, and reports whether it did.
func (d *draft) resume() bool {
	suspended := d.s.SuspendedSince != nil
	d.s.SuspendedSince, d.s.PausedSince = nil, nil
	return suspended
}

// awaitPause waits until the pause is over, and says so.
func (d *draft) awaitPause() {
	d.awaitPauseToEnd()
	d.progress(v1alpha1.ReasonUnderPause, d.f.Paused)
}

// standBack suspends the cycle and lets others go first: no attempt begins, and nobody waits for this cycle (see StandsBack). Afterwards the
// machine is judged again before an attempt begins.
func (d *draft) standBack() {
	d.suspend()
	if d.s.PausedSince == nil {
		d.s.PausedSince = d.time()
	}
}

// awaitPauseToEnd stands back, and looks again when the pause ends by itself.
func (d *draft) awaitPauseToEnd() {
	d.standBack()
	if !d.f.PausedUntil.IsZero() {
		d.recheckBy(d.f.PausedUntil)
	}
}

// afterPause reports whether a pause, or the cycle of another RebootRemediation, has just ended. Nobody has judged the machine since, so
// it schedules time for that.
func (d *draft) afterPause() bool {
	if d.s.PausedSince == nil {
		return false
	}
	d.s.SuspendedSince, d.s.PausedSince = nil, nil
	d.s.NextAttemptAt = new(metav1.NewTime(d.now.Add(CoolDown)))
	return true
}

// toBeJudged reports whether the machine still needs to be judged after a pause.
func (d *draft) toBeJudged() bool {
	return d.afterPause() || (d.s.NextAttemptAt != nil && !d.passed(d.s.NextAttemptAt, 0))
}

// stopsClock stops the clock of a phase after the host is on, and reports whether it did: while nobody judges the machine, a person keeps the
// host off again, or another RebootRemediation cycles it. Afterwards the clock starts again. The clock of a cycle that is withdrawn never stops.
func (d *draft) stopsClock() bool {
	reason, _ := d.keptOffByOthers()
	switch {
	case d.f.withdrawn():
		return false
	case d.f.Paused != "":
		d.awaitPauseToEnd()
		return true
	case d.f.atWork() != nil:
		d.standBack()
		return true
	case reason != "":
		d.suspend()
		return true
	case d.resume():
		d.restart()
	}
	return false
}

// awaitHost waits for a host that cannot be cycled now.
func (d *draft) awaitHost(reason, message string) {
	d.hostCondition(reason, message)
	if keptOffBy(reason) {
		// Others may keep a host off as long as they like.
		d.suspend()
		d.progress(reason, message)
		return
	}
	d.progress(v1alpha1.ReasonHostUnavailable, message)
	if temporary(reason) {
		d.suspend()
		return
	}
	d.resume()
	if d.s.UnavailableSince == nil {
		// The time spent waiting for somebody else does not count.
		d.s.UnavailableSince = d.time()
	}
	if permanent(reason) || d.overdueIn(v1alpha1.Pending) {
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
	}
}

// keptOffBy reports whether an obstacle is that somebody else keeps the host off.
func keptOffBy(reason string) bool {
	return reason == v1alpha1.ReasonSuspendedByUser || reason == v1alpha1.ReasonHeldByOthers
}

// permanent reports whether an obstacle stays, so that waiting for the host is useless.
func permanent(reason string) bool {
	return reason == v1alpha1.ReasonHostNotOurs || reason == v1alpha1.ReasonHostDeleting || reason == v1alpha1.ReasonNotFenceable
}

// temporary reports whether an obstacle is a state of the host that passes, and says nothing about its machine's sickness: somebody has paused or
// detached it, or it gets other firmware.
func temporary(obstacle string) bool {
	return obstacle == v1alpha1.ReasonHostPaused || obstacle == v1alpha1.ReasonHostDetached || obstacle == v1alpha1.ReasonHostServicing
}

// cancelAttempt cancels an attempt that cannot go on, through no fault of the host. The attempt does not count, and the host is released
// until the next one may begin.
func (d *draft) cancelAttempt(message string) {
	d.s.Attempt = max(0, d.s.Attempt-1)
	d.s.PendingRebootSince, d.s.KeySince, d.s.SeenOnAt = nil, nil, nil
	d.enter(v1alpha1.CoolingDown, message)
	d.s.NextAttemptAt = new(metav1.NewTime(d.now.Add(CoolDown)))
}
