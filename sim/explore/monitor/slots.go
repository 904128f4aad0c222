package monitor

import (
	"slices"
	"strconv"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/pauses"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// slots checks that no more machines are under repair than allowed, by the greater of what was read and the current value.
func (m *Monitor) slots(p *history.Process, r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	t := m.turns[p]
	allowed := max(m.allowed(looked[*clusterv1.MachineHealthCheck](t, kinds.HealthCheck, t.governing(r))), m.allowed(m.healthCheckOf(r)))
	if allowed == 0 {
		return
	}
	var under []string
	for _, other := range m.machines() {
		if other.UID == machine.UID || (m.underRepair(p, other) && m.counts(p, r, other)) {
			under = append(under, other.Name)
		}
	}
	if len(under) > allowed {
		m.w.Fail(rules.Slots, "%s, and under repair are %q, of which %d may be", what, under, allowed)
	}
}

// counts reports whether a repair of another machine counts for the MachineHealthCheck of a record: it has that machine among its targets, or makes that
// repair.
func (m *Monitor) counts(p *history.Process, r *v1alpha1.MachineRemediation, other *clusterv1.Machine) bool {
	its := m.openRecord(other.UID)
	return its == nil || its.Spec.HealthCheckRef.Name == r.Spec.HealthCheckRef.Name || isTarget(p, other)
}

// underRepair reports whether something is in progress on a machine, as far as a process can know. A machine without an open record
// counts if the cache of the process shows it as a target: no process reads live whether a person has just ended a skip. The same holds for what somebody has asked for. A host that a
// person keeps off takes no slot.
func (m *Monitor) underRepair(p *history.Process, machine *clusterv1.Machine) bool {
	r := m.openRecord(machine.UID)
	if m.deletionHangs(machine) {
		return false
	}
	if r == nil {
		return isTarget(p, machine) && m.hadRecord(machine.UID) && len(m.underWay(machine)) > 0 && !strayMark(machine)
	}
	if m.personKeepsOff(machine) || (r.Spec.AskedFor() && !isTarget(p, machine)) {
		return false
	}
	attempt := ladder.AtWork(r)
	return (attempt != nil && attempt.ObjectRef != nil) || (len(m.underWay(machine)) > 0 && !strayMark(machine))
}

// deletionHangs reports whether a machine is being deleted for so long that it takes no slot any more.
func (m *Monitor) deletionHangs(machine *clusterv1.Machine) bool {
	return !machine.DeletionTimestamp.IsZero() && m.w.Now().Sub(machine.DeletionTimestamp.Time) >= ladder.DeletionTime-pauses.MaxSkew
}

// personKeepsOff reports whether a record for single steps is at work on a machine. The others of the machine wait for it.
func (m *Monitor) personKeepsOff(machine *clusterv1.Machine) bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.MachineRef.UID == machine.UID && !ladder.Ended(r) && ladder.SingleSteps(r) && ladder.MayStand(r)
	})
}

// isTarget reports whether a machine is a target, now and by the cache of a process.
func isTarget(p *history.Process, machine *clusterv1.Machine) bool {
	return mhcspec.IsTarget(machine) && seesTarget(p, machine)
}

// strayMark reports whether an owner's late write has brought a mark back. Nobody asks for anything by it.
func strayMark(machine *clusterv1.Machine) bool {
	return markStands(machine) && !ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, remedy.FieldOwner)
}

// seesTarget reports whether the cache of a process shows a machine as a target.
func seesTarget(p *history.Process, machine *clusterv1.Machine) bool {
	seen := apimodel.As[*clusterv1.Machine](p.View.Find(kinds.Machine, kinds.InNamespace(machine.Name)))
	return seen != nil && seen.UID == machine.UID && mhcspec.IsTarget(seen)
}

// allowed returns how many machines may be under repair; 0 means any number.
func (m *Monitor) allowed(mhc *clusterv1.MachineHealthCheck) int {
	if m.w.Spec.Plan != nil {
		return m.w.Spec.Slots
	}
	if mhc == nil {
		return 0
	}
	n, err := strconv.Atoi(mhc.Annotations[mhcspec.MaxInFlightAnnotation])
	if err != nil {
		return 0
	}
	return n
}
