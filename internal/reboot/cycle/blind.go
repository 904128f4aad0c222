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
	switch {
	case d.s.Phase.Ended():
		d.clean()
	case d.s.Host == nil || d.hostGone():
		// Nothing of ours is there.
	case d.leaves():
	default:
		rowOf(d.s.Phase).blindly(d)
	}
}

// letGo takes our key from the host, and waits.
func (d *step) letGo() {
	if d.leftOnHost() == RemoveKey {
		d.act(RemoveKey)
	}
}

// powerOffBlindly goes on with the proof if our key is on the host, and does not set it.
func (d *step) powerOffBlindly() {
	if d.f.Host.Key {
		d.powerOff()
		return
	}
	if d.overdue() {
		d.notOff()
	}
}

// isolateBlindly waits for the Machine no longer than for its Node: without it the Node cannot be found.
func (d *step) isolateBlindly() {
	if d.s.IsolatingSince == nil {
		d.s.IsolatingSince = d.time()
	}
	switch {
	case !d.overdue():
	case !d.f.Whole():
		// Whether a person has asked for Delete is not known. It is not done, and has all its time later.
		d.s.IsolatingSince = nil
		d.holdOff()
	default:
		d.skipIsolation(v1alpha1.ReasonNodeUnreadable, d.f.Blind)
	}
}
