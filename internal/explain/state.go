package explain

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// states are in order of precedence: the first that applies is the state of a machine.
var states = []struct {
	state   State
	applies func(m *Machine, now time.Time) bool
}{
	{StateDeleting, func(m *Machine, _ time.Time) bool { return !m.Machine.DeletionTimestamp.IsZero() }},
	// What somebody asked for goes on under a pause, and without a MachineHealthCheck.
	{StateInRepair, func(m *Machine, _ time.Time) bool { return m.onTheirWord() && m.phase() == v1alpha1.RemediationActing }},
	{StatePaused, func(m *Machine, _ time.Time) bool { return m.paused() != "" }},
	{StateUnwatched, func(m *Machine, _ time.Time) bool { return m.notOurs() }},
	{StateHeld, func(m *Machine, _ time.Time) bool { return m.phase() == v1alpha1.RemediationHeld }},
	{StateProbation, func(m *Machine, _ time.Time) bool { return m.phase() == v1alpha1.RemediationProbation }},
	{StateInRepair, func(m *Machine, _ time.Time) bool { return m.phase() == v1alpha1.RemediationActing }},
	{StateHealthy, func(m *Machine, _ time.Time) bool { return m.verdict().Status == metav1.ConditionTrue }},
	{StateOnHold, func(m *Machine, now time.Time) bool { why, _ := m.hold(now); return why != "" && m.sick() }},
	{StateSick, func(m *Machine, _ time.Time) bool { return m.sick() }},
	{StateUndecided, func(*Machine, time.Time) bool { return true }},
}

// State returns the state of a machine.
func (m *Machine) State(now time.Time) State {
	for _, one := range states {
		if one.applies(m, now) {
			return one.state
		}
	}
	return StateUndecided
}

// verdict returns the stored verdict; empty if there is none.
func (m *Machine) verdict() metav1.Condition {
	return verdict.Of(m.Machine)
}

func (m *Machine) sick() bool { return m.verdict().Status == metav1.ConditionFalse }

// phase returns the phase of the open record; empty if there is none.
func (m *Machine) phase() v1alpha1.RemediationPhase {
	if m.Record == nil {
		return ""
	}
	return m.Record.Record.Status.Phase
}

// paused says why the machine is left alone; empty if it is not.
func (m *Machine) paused() string {
	if mhcspec.MachinePaused(m.Machine) {
		return "the Machine has the annotation cluster.x-k8s.io/paused"
	}
	if m.Check == nil || len(m.Check.Decision.Paused) == 0 {
		return ""
	}
	return m.Check.Decision.Paused[0]
}

// notOurs reports whether Sickbay manages no health check of the machine, or leaves it out.
func (m *Machine) notOurs() bool {
	return m.Check == nil || m.Check.Foreign || mhcspec.RemediationSkipped(m.Machine)
}

// unjudged reports whether Sickbay does not judge the machine: it is not ours, or it, or all that select it, are paused.
func (m *Machine) unjudged() bool {
	judges := slices.ContainsFunc(m.Checks, func(c *Check) bool { return len(c.Decision.Paused) == 0 && c.Problem == "" })
	return m.notOurs() || (m.paused() != "" && (!judges || mhcspec.MachinePaused(m.Machine)))
}

// hold returns why repairs are on hold, and until when; empty if they are not.
func (m *Machine) hold(now time.Time) (why string, until time.Time) {
	if m.Check == nil || m.Check.Facts.Cluster == nil {
		return mhcspec.OnHold(now, m.Machine)
	}
	return mhcspec.OnHold(now, m.Machine, m.Check.MachineHealthCheck, m.Check.Facts.Cluster)
}
