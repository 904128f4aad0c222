package cycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// phase is a row of the table of phases. The table in the documentation is generated from it.
type phase struct {
	name v1alpha1.Phase
	// awaits says, for people, what the phase waits for.
	awaits string
	// goOn takes a cycle one step further; withoutMachine does so while the Machine cannot be read.
	goOn, withoutMachine func(*draft)
	// clock is when the wait began, and limit how long it may last. Holding has none.
	clock func(*v1alpha1.RebootRemediationStatus) **metav1.Time
	limit func(*draft) time.Duration
	// keepsOff says that we keep the host off; off says that it was proven off and has not been seen on since.
	keepsOff, off bool
	// node says that the phase depends on the Node.
	node bool
}

// phases are all phases before the end, in the usual order.
var phases []phase

// This is an init function because the rows refer to functions that use the rows.
func init() {
	type status = v1alpha1.RebootRemediationStatus
	isolation := func(*draft) time.Duration { return isolateTimeout }
	node := func(d *draft) time.Duration { return d.f.Spec.NodeTimeout() }
	phases = []phase{
		{
			name: v1alpha1.Pending, awaits: "the host can be worked with", goOn: (*draft).pending, withoutMachine: (*draft).wait,
			clock: func(s *status) **metav1.Time { return &s.UnavailableSince }, limit: func(d *draft) time.Duration { return d.f.Spec.PowerOffTimeout() },
			node: true,
		}, {
			name: v1alpha1.PoweringOff, awaits: "the host is proven off", goOn: (*draft).powerOff, withoutMachine: (*draft).powerOffWithoutMachine,
			clock: func(s *status) **metav1.Time { return &s.PendingRebootSince }, limit: (*draft).powerOffTimeout,
			keepsOff: true,
		}, {
			name: v1alpha1.Fenced, awaits: "Sickbay knows which Node the host has", goOn: (*draft).fenced, withoutMachine: (*draft).isolateWithoutMachine,
			clock: func(s *status) **metav1.Time { return &s.IsolatingSince }, limit: isolation,
			keepsOff: true, off: true, node: true,
		}, {
			name: v1alpha1.Isolating, awaits: "the Node is gone, or its workloads are released", goOn: (*draft).isolate, withoutMachine: (*draft).isolateWithoutMachine,
			clock: func(s *status) **metav1.Time { return &s.IsolatingSince }, limit: isolation,
			keepsOff: true, off: true, node: true,
		}, {
			name: v1alpha1.Holding, awaits: "somebody asks for more", goOn: (*draft).hold, withoutMachine: (*draft).wait,
			keepsOff: true, off: true,
		}, {
			name: v1alpha1.PoweringOn, awaits: "the host is on", goOn: (*draft).powerOn, withoutMachine: (*draft).powerOn,
			clock: func(s *status) **metav1.Time { return &s.PowerOnReleasedAt }, limit: func(d *draft) time.Duration { return d.f.Spec.PowerOnTimeout() },
			off: true,
		}, {
			name: v1alpha1.WaitingForNode, awaits: "the Node is back", goOn: (*draft).waitForNode, withoutMachine: (*draft).waitForNodeUnseen,
			clock: func(s *status) **metav1.Time { return &s.LastPoweredOn }, limit: node,
			node: true,
		}, {
			name: v1alpha1.Restoring, awaits: "the Node has what it had, and is Ready", goOn: (*draft).restore, withoutMachine: (*draft).suspend,
			clock: func(s *status) **metav1.Time { return &s.NodeBackAt }, limit: node,
			node: true,
		},
	}
}

// rowOf returns the row of a phase. A cycle that has not begun has the row of Pending, and one that has ended has an empty row.
func rowOf(name v1alpha1.Phase) *phase {
	for i := range phases {
		if phases[i].name == name {
			return &phases[i]
		}
	}
	if name.Ended() {
		return &phase{}
	}
	return &phases[0]
}

// runPhase takes the step of the current phase.
func (d *draft) runPhase() { rowOf(d.s.Phase).goOn(d) }

// overdue reports whether the time of the phase is up. If not, it schedules a look at the deadline.
func (d *draft) overdue() bool { return d.overdueIn(d.s.Phase) }

func (d *draft) overdueIn(name v1alpha1.Phase) bool {
	row := rowOf(name)
	return d.passed(*row.clock(&d.s), row.limit(d))
}

// notLater sets the clock of the phase to now if it is later: another manager's clock was ahead.
func (d *draft) notLater() {
	row := rowOf(d.s.Phase)
	if row.clock == nil {
		return
	}
	if at := row.clock(&d.s); *at != nil && (*at).After(d.now) {
		*at = d.time()
	}
}

// restart starts the clock of the phase again.
func (d *draft) restart() { *rowOf(d.s.Phase).clock(&d.s) = d.time() }

// wait does nothing.
func (*draft) wait() {}

// keepsOff reports whether we keep the host off in this phase.
func (d *draft) keepsOff() bool { return rowOf(d.s.Phase).keepsOff }

// Phases returns all phases before the end, in the usual order.
func Phases() []v1alpha1.Phase {
	var names []v1alpha1.Phase
	for i := range phases {
		names = append(names, phases[i].name)
	}
	return names
}

// Off reports whether, in a phase, the host was proven off and is not on again.
func Off(name v1alpha1.Phase) bool { return rowOf(name).off }

// InCycle reports whether a cycle is under way: its machine is, or may be, out of service because of it.
func InCycle(name v1alpha1.Phase) bool {
	return name != "" && name != v1alpha1.Pending && !name.Ended()
}

// LooksForNode reports whether a phase waits for the Node, or for a change to it.
func LooksForNode(name v1alpha1.Phase) bool { return InCycle(name) && rowOf(name).node }
