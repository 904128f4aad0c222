package reboot

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// coolDown is the pause between two attempts.
const coolDown = time.Minute

// coolDown lets go of the host, waits, and begins the next attempt.
func (d *step) coolDown() {
	switch {
	case d.f.Host.Key || d.f.Host.Probe:
		d.act(RemoveKey)
	case d.back():
		// Late, but there: another cycle would only take it away again.
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; what it had is put back")
	case d.f.withdrawn() || d.f.Machine.Healthy || d.s.Attempt >= d.f.attempts():
		// No further attempt. But the Node may be on its way back, and is to get back what it had.
		if d.passed(d.s.NextAttemptAt, d.f.Spec.NodeTimeout()) {
			d.end(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
		}
	case d.passed(d.s.NextAttemptAt, 0):
		d.again()
	}
}

// again begins the next attempt, or ends if the host has become unusable meanwhile.
func (d *step) again() {
	reason, message := d.unavailable()
	if reason == "" {
		d.hostCondition(v1alpha1.ReasonHostAvailable, "")
		if d.f.Throttled != "" {
			d.progress(v1alpha1.ReasonThrottled, d.f.Throttled)
			return
		}
		d.begin()
		return
	}
	if d.hostAwaits(v1alpha1.ReasonSuspendedByUser) {
		// Nor does it here.
		d.s.NextAttemptAt = d.time()
	}
	d.hostCondition(reason, message)
	if reason == v1alpha1.ReasonSuspendedByUser {
		return
	}
	if hopeless(reason) || d.passed(d.s.NextAttemptAt, d.f.Spec.PowerOffTimeout()) {
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
	}
}
