package monitor

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// gateLasts is how long one look at the gate may stay valid. In a small world, Sickbay does not act eight times in that time.
const gateLasts = 2 * time.Second

// gate checks that nothing is done while more machines are unhealthy than allowed. It tolerates acts of a Reconcile that began when the
// caches of the process had shown that for less than gateLasts: the clock may step between the look and the act.
func (m *Monitor) gate(p *history.Process, what string) {
	if m.seenClosed(p) && m.turns[p].began.Sub(m.closed[p].at) >= gateLasts {
		m.w.Fail(rules.Gate, "%s, and the gate has been closed since %s", what, m.closedSince.Sub(history.Start))
	}
}

// seenClosed reports whether the gate was closed before the current Reconcile began, and the caches have shown that.
func (m *Monitor) seenClosed(p *history.Process) bool {
	return !m.closedSince.IsZero() && m.turns[p].current && m.closedTick <= m.turns[p].tick
}

// closing is what the caches of a process have shown: the tick at which the gate was closed, and when they showed it.
type closing struct {
	tick int
	at   time.Time
}

// shows records what the caches show when a Reconcile begins. The clock may step before they show it.
func (m *Monitor) shows(p *history.Process) {
	if m.seenClosed(p) && m.closed[p].tick != m.closedTick {
		m.closed[p] = closing{m.closedTick, healthcheck.Latest(m.closedSince, m.turns[p].began)}
	}
}

// current reports whether the caches of a process show everything that the gate depends on.
func current(p *history.Process) bool {
	for _, kind := range []schema.GroupVersionKind{kinds.Machine, kinds.Node, kinds.HealthCheck} {
		if p.View.Behind(kind) > 0 {
			return false
		}
	}
	return true
}

// watchGate records since when the gate is closed. Time alone can close it, because a Node becomes sick after a while.
func (m *Monitor) watchGate() {
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

// gateClosed reports whether more machines are unhealthy than allowed, and since when at the latest. A machine counts if its
// stored verdict or its Node says so.
func (m *Monitor) gateClosed() (since time.Time, closed bool) {
	mhc := history.Latest[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck, kinds.CheckName)
	if m.w.Spec.AtMost == nil || mhc == nil || mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo == nil {
		return time.Time{}, false
	}
	var all []time.Time
	for _, machine := range m.machines() {
		if at, unhealthy := m.unhealthySince(machine); unhealthy && mhcspec.IsTarget(machine) {
			all = append(all, at)
		}
	}
	most := m.w.Spec.AtMost.IntValue()
	if len(all) <= most {
		return time.Time{}, false
	}
	slices.SortFunc(all, time.Time.Compare)
	return all[most], true
}

func (m *Monitor) unhealthySince(machine *clusterv1.Machine) (since time.Time, unhealthy bool) {
	if !machine.DeletionTimestamp.IsZero() {
		return machine.DeletionTimestamp.Time, true
	}
	node := apimodel.As[*corev1.Node](m.w.Server.Latest(kinds.Node, client.ObjectKey{Name: machine.Status.NodeRef.Name}))
	if node != nil && nodeSick(node, m.w.Now()) {
		return node.Status.Conditions[0].LastTransitionTime.Add(history.SickAfter), true
	}
	return m.w.Now(), history.Said(machine, verdict.ConditionType)[0] != "True"
}
