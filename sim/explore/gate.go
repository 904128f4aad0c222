package explore

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// gateLasts is for how long one look at the gate may be good. In a small world nobody acts eight times meanwhile.
const gateLasts = 2 * time.Second

// gate holds that nothing is done while more machines are unhealthy than allowed, unless the caches of the process have not
// shown it for as long as one look may be good for several acts.
func (m *monitor) gate(p *process, what string) {
	if m.seenClosed(p) && m.w.clock.now.Sub(p.closed.at) >= gateLasts {
		m.w.fail(ruleGate, "%s, and the gate has been closed since %s", what, m.closedSince.Sub(start))
	}
}

// seenClosed reports whether the gate has been closed since before the Reconcile at work began, and the caches have shown it.
func (m *monitor) seenClosed(p *process) bool {
	return !m.closedSince.IsZero() && p.turn.current && m.closedTick <= p.turn.tick
}

// closing is what the caches of a process have shown: which time that the gate was closed, and when that was.
type closing struct {
	tick int
	at   time.Time
}

// shows notes what the caches show when a Reconcile begins. The clock may step while they do not show it yet.
func (m *monitor) shows(p *process) {
	if m.seenClosed(p) && p.closed.tick != m.closedTick {
		p.closed = closing{m.closedTick, later(m.closedSince, p.turn.began)}
	}
}

// current reports whether the caches of a process show all that the gate goes by.
func (p *process) current() bool {
	for _, kind := range []schema.GroupVersionKind{machineKind, nodeKind, healthCheckKind} {
		if p.view.Behind(kind) > 0 {
			return false
		}
	}
	return true
}

// watchGate notes since when the gate has been closed. Time alone closes it, too: a Node is sick after a while.
func (m *monitor) watchGate() {
	m.tick++
	since, closed := m.gateClosed()
	if !closed {
		m.closedSince = time.Time{}
		return
	}
	if m.closedSince.IsZero() {
		m.closedTick = m.tick
	}
	m.closedSince = since
}

// gateClosed reports whether more machines are unhealthy than allowed, and since when at the latest. A machine counts whose
// stored verdict or whose Node says so.
func (m *monitor) gateClosed() (since time.Time, closed bool) {
	mhc := latest[*clusterv1.MachineHealthCheck](m.w, healthCheckKind, checkName)
	if m.w.spec.AtMost == nil || mhc == nil || mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo == nil {
		return time.Time{}, false
	}
	var all []time.Time
	for _, machine := range every[*clusterv1.Machine](m.w, machineKind) {
		if at, unhealthy := m.unhealthySince(machine); unhealthy && targets.IsTarget(machine) {
			all = append(all, at)
		}
	}
	most := m.w.spec.AtMost.IntValue()
	if len(all) <= most {
		return time.Time{}, false
	}
	slices.SortFunc(all, time.Time.Compare)
	return all[most], true
}

func (m *monitor) unhealthySince(machine *clusterv1.Machine) (since time.Time, unhealthy bool) {
	if !machine.DeletionTimestamp.IsZero() {
		return machine.DeletionTimestamp.Time, true
	}
	node := as[*corev1.Node](m.w.server.Latest(nodeKind, client.ObjectKey{Name: machine.Status.NodeRef.Name}))
	if node != nil && nodeSick(node, m.w.clock.now) {
		return node.Status.Conditions[0].LastTransitionTime.Add(sickAfter), true
	}
	return m.w.clock.now, said(machine, machinehealth.ConditionType)[0] != "True"
}
