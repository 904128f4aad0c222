package explore

import (
	"strconv"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// slots holds that not more machines are under repair than allowed, by the greater of what was read and what is so.
func (m *monitor) slots(p *process, machine *clusterv1.Machine, what string) {
	t := p.turn
	allowed := max(m.allowed(looked[*clusterv1.MachineHealthCheck](t, healthCheckKind, checkName)), m.allowed(latest[*clusterv1.MachineHealthCheck](m.w, healthCheckKind, checkName)))
	if allowed == 0 {
		return
	}
	var under []string
	for _, other := range every[*clusterv1.Machine](m.w, machineKind) {
		if other.UID == machine.UID || m.underRepair(p, other) {
			under = append(under, other.Name)
		}
	}
	if len(under) > allowed {
		m.w.fail(ruleSlots, "%s, and under repair are %q, of which %d may be", what, under, allowed)
	}
}

// underRepair reports whether something is at work on a machine, as far as a process can know. One without an open record counts if
// the cache of the process shows that it is looked after: that a person has just ended a skip, nobody reads past it.
func (m *monitor) underRepair(p *process, machine *clusterv1.Machine) bool {
	r := m.openRecord(machine.UID)
	if r == nil {
		return targets.IsTarget(machine) && p.seesTarget(machine) && m.hadRecord(machine.UID) && len(m.standing(machine)) > 0
	}
	attempt := ladder.AtWork(r)
	return (attempt != nil && attempt.ObjectRef != nil) || len(m.standing(machine)) > 0
}

// seesTarget reports whether the cache of a process shows a machine as one that is looked after.
func (p *process) seesTarget(machine *clusterv1.Machine) bool {
	seen := as[*clusterv1.Machine](p.view.Find(machineKind, inNamespace(machine.Name)))
	return seen != nil && seen.UID == machine.UID && targets.IsTarget(seen)
}

// allowed is how many machines may be under repair; 0 is any number.
func (m *monitor) allowed(mhc *clusterv1.MachineHealthCheck) int {
	if m.w.spec.Plan != nil {
		return m.w.spec.Slots
	}
	if mhc == nil {
		return 0
	}
	n, err := strconv.Atoi(mhc.Annotations[admission.MaxInFlightAnnotation])
	if err != nil {
		return 0
	}
	return n
}
