package cycle

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// lookAgain is how soon it is tried again to read what could not be read.
const lookAgain = 10 * time.Second

// blind goes on while the Machine, or its infrastructure machine, cannot be read. What needs nothing but the host is done all the same:
// deadlines pass, and the host is let go of. Nothing begins, and no Node is touched.
func (d *step) blind() {
	d.until(d.now.Add(lookAgain))
	switch h := d.f.Host; {
	case d.s.Phase.Ended():
		d.clean()
	case d.s.Host == nil || h.Missing != "" || h.UID != d.s.Host.UID:
		// Nothing of ours is there.
	case d.escapes():
	case d.f.Deleting && d.holdsOff():
		d.giveUp(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn, "The request was taken back")
	default:
		d.blindPhase()
	}
}

// blindPhase goes on from where the record stands.
func (d *step) blindPhase() {
	switch d.s.Phase {
	case v1alpha1.PoweringOff:
		d.powerOffBlindly()
	case v1alpha1.Fenced, v1alpha1.Isolating:
		d.isolateBlindly()
	case v1alpha1.PoweringOn:
		d.powerOn()
	case v1alpha1.CoolingDown:
		if d.leftOnHost() == RemoveKey {
			d.act(RemoveKey)
		}
	case v1alpha1.Restoring, v1alpha1.WaitingForMachine:
		// Whatever is waited for cannot be seen.
		d.suspend()
	default:
	}
}

// powerOffBlindly goes on with the proof if our key is on the host, and does not set it.
func (d *step) powerOffBlindly() {
	if d.f.Host.Key {
		d.powerOff()
		return
	}
	if d.passed(d.s.PendingRebootSince, d.powerOffTimeout()) {
		d.notOff()
	}
}

// isolateBlindly waits for the Machine no longer than for its Node: without it the Node cannot be found.
func (d *step) isolateBlindly() {
	if d.s.IsolatingSince == nil {
		d.s.IsolatingSince = d.time()
	}
	switch {
	case !d.passed(d.s.IsolatingSince, isolateTimeout):
	case !d.f.Whole():
		// Whether a person has asked for Delete is not known. It is not done, and has all its time later.
		d.s.IsolatingSince = nil
		d.holdOff()
	default:
		d.skipIsolation(v1alpha1.ReasonNodeUnreadable, d.f.Blind)
	}
}
