package cycle

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// This file has the waits before a cycle begins, and the waits without a deadline.

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
	d.s.SuspendedSince = nil
	return suspended
}

// stopsClock stops the clock of a phase after the host is on, and reports whether it did: while a person keeps the host off again. Afterwards the
// clock starts again. The clock of a cycle that is withdrawn never stops.
func (d *draft) stopsClock() bool {
	reason, _ := d.keptOffByOthers()
	switch {
	case d.f.withdrawn():
		return false
	case reason != "":
		d.suspend()
		return true
	case d.resume():
		d.restart()
	}
	return false
}

// unreadRetry is when to look again for a host that Sickbay may not read.
const unreadRetry = time.Minute

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
	if d.f.Host.Unread != "" {
		// That says nothing about the host. When it can be read again, there is no event.
		d.suspend()
		d.recheckBy(d.now.Add(unreadRetry))
		return
	}
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

// abort ends a cycle that has begun and cannot go on, through no fault of the host. It does not count.
func (d *draft) abort(message string) {
	d.end(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable, message)
}

// waitAgain goes back to wait for the turn of a cycle that has not begun on its host: it may not begin any more.
func (d *draft) waitAgain(message string) {
	d.s.Host, d.s.Node, d.s.PendingRebootSince, d.s.Isolation = nil, nil, nil, ""
	d.enter(v1alpha1.Pending, message)
}
