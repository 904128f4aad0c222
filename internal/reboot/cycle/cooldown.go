package cycle

import (
	"cmp"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// CoolDown is the pause between two attempts.
const CoolDown = time.Minute

// coolDown releases the host, waits, and begins the next attempt.
func (d *draft) coolDown() {
	if d.s.BeganAt == nil {
		reason, message := d.unavailable()
		d.hostCondition(cmp.Or(reason, v1alpha1.ReasonHostAvailable), message)
	}
	if d.f.Host.Key || d.f.Host.Probe {
		d.choose(RemoveKey)
		return
	}
	if d.standsBackForSibling() {
		return
	}
	d.awaitNextAttempt()
	if d.s.Phase == v1alpha1.CoolingDown && d.back() {
		// The wait may be long, for example under a pause.
		d.choose(d.undoneOnNode(true))
	}
}

// awaitNextAttempt waits for a late Node, or for the next attempt to begin.
func (d *draft) awaitNextAttempt() {
	switch {
	case d.cameAfterAttempt():
		// Another cycle would only delete it again.
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; Sickbay is restoring what it had")
	case d.f.withdrawn() || d.f.Machine.Healthy || d.s.Attempt >= d.f.attempts():
		// There is no further attempt. But the Node may still come, and must then get back what it had.
		if d.passed(d.s.NextAttemptAt, d.f.Spec.NodeTimeout()) {
			d.end(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
		}
	case d.f.Paused != "":
		d.awaitPause()
	case d.standsBackForOthers():
	case d.afterPause():
		d.progress(string(v1alpha1.CoolingDown), "Waiting before the next attempt")
	case d.overdue():
		d.nextAttempt()
	}
}

// standsBackForOthers stands back while a person or another program keeps the host off, and reports whether it does. They may do so as long as they
// like, so nobody else waits for this cycle.
func (d *draft) standsBackForOthers() bool {
	reason, message := d.unavailable()
	if !keptOffBy(reason) {
		return false
	}
	d.awaitHost(reason, message)
	d.standBack()
	return true
}

// cameAfterAttempt reports whether the Node came after the attempt failed. A Node that is not Ready may need what it had to become Ready:
// its network may depend on labels, for example. It gets time for that once per attempt.
func (d *draft) cameAfterAttempt() bool {
	return d.s.NodeReadyAt == nil && d.back() && (d.s.NodeBackAt == nil || Ready(d.f.Node.Node))
}

// nextAttempt begins the next attempt, or waits or ends if the host has become unusable meanwhile.
func (d *draft) nextAttempt() {
	if reason, message := d.unavailable(); reason != "" {
		d.awaitHost(reason, message)
		return
	}
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
	d.beginInLine()
}
