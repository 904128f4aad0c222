package cycle

import (
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// exit is a row of the table of events that end a cycle early, in any phase. The table in the documentation is generated from it.
type exit struct {
	// message says what has happened. HOST stands for the name of the host.
	message string
	// is reports whether it has happened.
	is func(*draft) bool
	// phase and outcome are how the cycle ends.
	phase   v1alpha1.Phase
	outcome string
	// host is the reason of HostAvailable then, if it changes.
	host string
	// gently says that a Node that may be out of service first gets back what it had.
	gently bool
	// withoutMachine says that the exit also applies while the Machine cannot be read.
	withoutMachine bool
}

// exits are in order of precedence: the first event counts.
var exits = []exit{
	{
		message: "The machine is gone or being deleted", is: (*draft).machineGone,
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonMachineGone,
	}, {
		message: "The host HOST is gone", is: (*draft).hostGone,
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostNotFound,
	}, {
		message: "The host HOST is used by somebody else", is: func(d *draft) bool { return d.s.Host != nil && !d.f.Host.Ours },
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostNotOurs,
	}, {
		message: "The host HOST is being deleted", is: func(d *draft) bool { return d.s.Host != nil && d.keepsOff() && d.f.Host.Deleting },
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostDeleting, gently: true, withoutMachine: true,
	}, {
		message: "The host HOST cannot be switched off (spec.disablePowerOff)", is: func(d *draft) bool { return d.s.Host != nil && d.keepsOff() && !d.f.Host.Fenceable },
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonNotFenceable, gently: true, withoutMachine: true,
	}, {
		message: "The request was withdrawn", is: func(d *draft) bool { return d.f.withdrawn() && d.mayStop() },
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonWithdrawn, gently: true, withoutMachine: true,
	},
}

// exitEarly ends a cycle that cannot go on, or that nobody wants any more, and reports whether it did.
func (d *draft) exitEarly() bool {
	for i := range exits {
		e := &exits[i]
		if (d.f.MachineUnreadable != "" && !e.withoutMachine) || !e.is(d) {
			continue
		}
		message := e.message
		if d.s.Host != nil {
			message = strings.ReplaceAll(message, "HOST", d.s.Host.Name)
		}
		if e.host != "" {
			d.hostCondition(e.host, message)
		}
		if e.gently {
			d.giveUp(e.phase, e.outcome, message)
			return true
		}
		d.end(e.phase, e.outcome, message)
		return true
	}
	return false
}

func (d *draft) machineGone() bool {
	return d.f.Machine.Gone || (d.s.MachineUID != "" && d.s.MachineUID != d.f.Machine.UID)
}

func (d *draft) hostGone() bool {
	return d.s.Host != nil && (d.f.Host.Missing != "" || d.f.Host.UID != d.s.Host.UID)
}

// mayStop reports whether the cycle may stop here. Otherwise the host is on or coming on, and the remaining work must be
// finished.
func (d *draft) mayStop() bool { return d.s.Host == nil || d.keepsOff() }

// giveUp ends a cycle early. But if the Node may be out of service, the host first comes on and the Node gets back what it had, with the
// deadlines of a full cycle. So does a host that was off when its cycle was withdrawn: until its Node is back, its machine is sick only because of
// that, and nobody may repair it.
func (d *draft) giveUp(phase v1alpha1.Phase, outcome, message string) {
	// Where the proof has to begin anew, the host stays off for who asked.
	wasOff := d.f.withdrawn() && (d.s.PoweredOffAt != nil || d.s.HoldingSince != nil)
	if d.s.Host != nil && (wasOff || d.outOfService()) {
		d.release()
		return
	}
	d.end(phase, outcome, message)
}
