package explore

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// gateLasts is for how long one look at the gate may be good. In a small world nobody acts eight times meanwhile.
const gateLasts = 2 * time.Second

// gate holds that nothing is done while more machines are unhealthy than allowed, unless the caches of the process have
// not shown it for long. A machine counts whose stored verdict or whose Node says so.
func (m *monitor) gate(p *process, what string) {
	if m.closedSince.IsZero() || m.w.clock.now.Sub(m.closedSince) < gateLasts {
		return
	}
	for _, kind := range []schema.GroupVersionKind{machineKind, nodeKind, healthCheckKind} {
		if p.view.Behind(kind) > 0 {
			return
		}
	}
	m.w.fail(ruleGate, "%s, and the gate has been closed since %s", what, m.closedSince.Sub(start))
}

// watchGate notes since when the gate has been closed. Time alone closes it, too: a Node is sick after a while.
func (m *monitor) watchGate() {
	switch closed := m.gateClosed(); {
	case !closed:
		m.closedSince = time.Time{}
	case m.closedSince.IsZero():
		m.closedSince = m.w.clock.now
	}
}

func (m *monitor) gateClosed() bool {
	mhc := latest[*clusterv1.MachineHealthCheck](m.w, healthCheckKind, checkName)
	if m.w.spec.AtMost == nil || mhc == nil || mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo == nil {
		return false
	}
	unhealthy := 0
	for _, machine := range every[*clusterv1.Machine](m.w, machineKind) {
		if !targets.IsTarget(machine) {
			continue
		}
		if !machine.DeletionTimestamp.IsZero() || said(machine, machinehealth.ConditionType)[0] != "True" || m.w.sick(machine) {
			unhealthy++
		}
	}
	return unhealthy > m.w.spec.AtMost.IntValue()
}
