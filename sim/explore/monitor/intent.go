package monitor

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// number returns the number of the current or next attempt.
func number(r *v1alpha1.MachineRemediation) int32 {
	if attempt := ladder.AtWork(r); attempt != nil {
		return attempt.Number
	}
	return max(1, r.Status.Attempt)
}

func operationOf(r *v1alpha1.MachineRemediation) string { return ladder.OperationID(r, number(r)) }

// stepOf returns the step of that attempt.
func stepOf(r *v1alpha1.MachineRemediation) v1alpha1.RemediationStep {
	if attempt := ladder.AtWork(r); attempt != nil {
		return stepNamed(r, attempt.Step)
	}
	step, _ := ladder.NextStep(r)
	return step
}

func stepNamed(r *v1alpha1.MachineRemediation, name string) v1alpha1.RemediationStep {
	step, _ := ladder.StepNamed(r, name)
	return step
}

// intended checks that the record says what is done: the first attempt by the record's creation, others by its
// status. What somebody asked for needs a slot only where a health check gives slots, so slots.go counts it instead.
func (m *Monitor) intended(r *v1alpha1.MachineRemediation, what string) {
	attempt := ladder.AtWork(r)
	switch {
	case ladder.Ended(r):
		m.w.Fail(rules.Intent, "%s, although record %s has ended", what, r.Name)
	case !ladder.HasSlot(r) && !r.Spec.AskedFor():
		m.w.Fail(rules.Intent, "%s, although record %s has no slot", what, r.Name)
	case attempt == nil && r.Status.Attempt != 0:
		m.w.Fail(rules.Intent, "%s, and record %s does not say so", what, r.Name)
	case attempt != nil && attempt.ObjectRef != nil:
		m.w.Fail(rules.Once, "%s, although record %s says that attempt %d was carried out", what, r.Name, attempt.Number)
	}
}

// once checks that an attempt does one thing, and that nothing else is done to its machine.
func (m *Monitor) once(r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	operation := operationOf(r)
	m.effects[operation]++
	if m.effects[operation] > 1 && !m.lost[operation] {
		m.w.Fail(rules.Once, "%s: that is side effect %d of operation %s", what, m.effects[operation], operation)
	}
	now := history.Latest[*clusterv1.Machine](m.w, kinds.Machine, machine.Name)
	if standing := m.underWay(now); len(standing) > 1 {
		m.w.Fail(rules.OneRecord, "%s, and there stand %q", what, standing)
	}
}
