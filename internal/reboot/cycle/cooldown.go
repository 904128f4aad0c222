package cycle

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// CoolDown is the pause between two attempts.
const CoolDown = time.Minute

// coolDown lets go of the host, waits, and begins the next attempt.
func (d *step) coolDown() {
	if d.f.Host.Key || d.f.Host.Probe {
		d.act(RemoveKey)
		return
	}
	if d.yields() {
		return
	}
	d.rest()
	if d.s.Phase == v1alpha1.CoolingDown && d.back() {
		// The wait may be long, under a pause for instance.
		d.act(d.missing(true))
	}
}

// rest waits until the Node comes late, or the next attempt begins.
func (d *step) rest() {
	switch {
	case d.cameLate():
		// Another cycle would only take it away again.
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; what it had is put back")
	case d.f.withdrawn() || d.f.Machine.Healthy || d.s.Attempt >= d.f.attempts():
		// No further attempt. But the Node may be on its way back, and is to get back what it had.
		if d.passed(d.s.NextAttemptAt, d.f.Spec.NodeTimeout()) {
			d.end(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
		}
	case d.f.Paused != "":
		d.awaitPause()
	case d.afterPause():
		d.progress(string(v1alpha1.CoolingDown), "Waits before the next attempt")
	case d.overdue():
		d.again()
	}
}

// cameLate reports whether the Node has come after the attempt failed. One that is not Ready may need what it had to become so: its
// network, for instance, may go by labels. It gets the time for that once in an attempt.
func (d *step) cameLate() bool {
	return d.s.NodeReadyAt == nil && d.back() && (d.s.NodeBackAt == nil || Ready(d.f.Node.Node))
}

// again begins the next attempt, or ends if the host has become unusable meanwhile.
func (d *step) again() {
	if reason, message := d.unavailable(); reason != "" {
		d.awaitHost(reason, message)
		return
	}
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
	d.beginInTurn()
}
