package cycle

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// CoolDown is the pause between two attempts.
const CoolDown = time.Minute

// coolDown lets go of the host, waits, and begins the next attempt.
func (d *step) coolDown() {
	switch {
	case d.f.Host.Key || d.f.Host.Probe:
		d.act(RemoveKey)
	case d.yields():
		return
	case d.cameLate():
		// Another cycle would only take it away again.
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; what it had is put back")
	case d.f.withdrawn() || d.f.Machine.Healthy || d.s.Attempt >= d.f.attempts():
		// No further attempt. But the Node may be on its way back, and is to get back what it had.
		if d.passed(d.s.NextAttemptAt, d.f.Spec.NodeTimeout()) {
			d.end(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
		}
	default:
		d.awaitNext()
	}
	if d.s.Phase == v1alpha1.CoolingDown && d.do == Nothing && d.back() {
		// The wait may be long, under a pause for instance.
		d.act(d.missing(true))
	}
}

// cameLate tells whether the Node has come after the attempt failed. One that is not Ready may need what it had to become so: its
// network, for instance, may go by labels. It gets the time for that once in an attempt.
func (d *step) cameLate() bool {
	return d.s.NodeReadyAt == nil && d.back() && (d.s.NodeBackAt == nil || Ready(d.f.Node.Node))
}

// awaitNext waits until the next attempt may begin.
func (d *step) awaitNext() {
	switch {
	case d.f.Paused != "":
		d.awaitPause()
	case d.afterPause():
		d.progress(string(v1alpha1.CoolingDown), "Waits before the next attempt")
	case d.passed(d.s.NextAttemptAt, 0):
		d.again()
	}
}

// again begins the next attempt, or ends if the host has become unusable meanwhile.
func (d *step) again() {
	reason, message := d.unavailable()
	if reason != "" {
		d.awaitHost(reason, message)
		return
	}
	d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
	if !d.f.asked(v1alpha1.StepPowerOff) {
		d.progress(v1alpha1.ReasonNotAsked, "Waits until the host is asked to be off: nothing else is done before")
		return
	}
	if d.f.Throttled != "" {
		d.progress(v1alpha1.ReasonThrottled, d.f.Throttled)
		return
	}
	d.begin()
}
