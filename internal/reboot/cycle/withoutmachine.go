package cycle

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// lookAgain is how long to wait before retrying a failed read.
const lookAgain = 10 * time.Second

// goOnWithoutMachine continues while the Machine, or its infrastructure machine, cannot be read. It does only what needs nothing but the host:
// deadlines pass, and the host is released. Nothing begins, and no Node is touched.
func (d *draft) goOnWithoutMachine() {
	d.recheckBy(d.now.Add(lookAgain))
	switch {
	case d.s.Phase.Ended():
		d.clean()
	case d.s.Host == nil || d.hostGone():
		// Nothing of ours is there.
	case d.exitEarly():
	default:
		rowOf(d.s.Phase).withoutMachine(d)
	}
}

// powerOffWithoutMachine continues the proof if our key is on the host, but does not set the key.
func (d *draft) powerOffWithoutMachine() {
	switch {
	case d.f.Host.Key:
		d.powerOff()
	case d.s.BeganAt == nil:
		d.waitAgain(d.f.MachineUnreadable)
	case d.overdue():
		d.failPowerOff()
	}
}

// waitForNodeUnseen waits for a Node that it cannot find without the Machine. Only a cycle that nobody wants any more comes to an end.
func (d *draft) waitForNodeUnseen() {
	if d.f.withdrawn() && d.overdue() {
		d.fail(v1alpha1.ReasonNodeTimedOut, "The Node was not seen within "+d.f.Spec.NodeTimeout().String()+": "+d.f.MachineUnreadable)
	}
}

// isolateWithoutMachine waits for the Machine no longer than for a Node, because without the Machine it cannot find the Node.
func (d *draft) isolateWithoutMachine() {
	if d.s.IsolatingSince == nil {
		d.s.IsolatingSince = d.time()
	}
	switch {
	case !d.overdue():
	case !d.f.Full():
		// It is not known whether a person asked for Delete. Do not delete now; Delete has its full time later.
		d.s.IsolatingSince = nil
		d.enterHolding()
	default:
		d.skipIsolation(v1alpha1.ReasonNodeUnreadable, d.f.MachineUnreadable)
	}
}
