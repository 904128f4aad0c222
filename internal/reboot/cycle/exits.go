package cycle

import (
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// exit is a row of the table by which a cycle ends before its time, whatever phase it is in. The documentation of the exits is generated
// from it.
type exit struct {
	// message says what has happened. HOST is the name of the host.
	message string
	// is reports whether it has.
	is func(*step) bool
	// phase and outcome are those of the end.
	phase   v1alpha1.Phase
	outcome string
	// host is what HostAvailable says then, if it says anything.
	host string
	// gently tells that a Node which may be out of service gets back what it had before the end.
	gently bool
	// blindly tells that it is so also while the Machine cannot be read.
	blindly bool
}

// exits are in their order: the first one that has happened counts.
var exits = []exit{
	{
		message: "The machine is gone, or on its way out", is: (*step).machineGone,
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonMachineGone,
	}, {
		message: "The host HOST is gone", is: (*step).hostGone,
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostNotFound,
	}, {
		message: "The host HOST is used by somebody else", is: func(d *step) bool { return d.s.Host != nil && !d.f.Host.Ours },
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostNotOurs,
	}, {
		message: "The host HOST is being deleted", is: func(d *step) bool { return d.s.Host != nil && d.holdsOff() && d.f.Host.Deleting },
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonHostDeleting, gently: true, blindly: true,
	}, {
		message: "The host HOST cannot be switched off (spec.disablePowerOff)", is: func(d *step) bool { return d.s.Host != nil && d.holdsOff() && !d.f.Host.Fenceable },
		phase: v1alpha1.Failed, outcome: v1alpha1.ReasonHostUnavailable, host: v1alpha1.ReasonNotFenceable, gently: true, blindly: true,
	}, {
		message: "The request was taken back", is: func(d *step) bool { return d.f.withdrawn() && d.mayStop() },
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonWithdrawn, gently: true, blindly: true,
	}, {
		message: "The machine has recovered by itself", is: func(d *step) bool { return d.f.Machine.Healthy && d.mayStop() && Recovers(d.s.Phase) },
		phase: v1alpha1.Aborted, outcome: v1alpha1.ReasonRecovered, gently: true,
	},
}

// leaves ends a cycle whose ground is gone, or that nobody needs any more, and reports whether it did.
func (d *step) leaves() bool {
	for i := range exits {
		e := &exits[i]
		if (d.f.Blind != "" && !e.blindly) || !e.is(d) {
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

func (d *step) machineGone() bool {
	return d.f.Machine.Gone || (d.s.MachineUID != "" && d.s.MachineUID != d.f.Machine.UID)
}

func (d *step) hostGone() bool {
	return d.s.Host != nil && (d.f.Host.Missing != "" || d.f.Host.UID != d.s.Host.UID)
}

// mayStop tells that nothing has to be finished: otherwise the host comes on, or has, and what is left to be done follows.
func (d *step) mayStop() bool {
	if d.s.Host == nil || d.holdsOff() {
		return true
	}
	return d.f.Blind == "" && d.s.Phase == v1alpha1.CoolingDown && !d.outOfService()
}

// giveUp ends a cycle early. But if the Node may be out of service, the host comes on, and the Node gets back what it
// had: the wait for that is as long as after a cycle.
func (d *step) giveUp(phase v1alpha1.Phase, outcome, message string) {
	if d.outOfService() && d.s.Host != nil {
		d.release()
		return
	}
	d.end(phase, outcome, message)
}
