package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// shared returns what a MachineHealthCheck knows about a machine that others select, too; nil if none does.
func (c *Check) shared(m *Machine) *admission.Shared {
	if len(m.Checks) < 2 {
		return nil
	}
	targets := c.Facts.Targets
	i, found := slices.BinarySearchFunc(targets, m.Machine.Name, func(t admission.Target, name string) int { return cmp.Compare(t.Machine.Name, name) })
	if !found {
		return nil
	}
	return targets[i].Shared
}

// Choose chooses which of the MachineHealthChecks that judge a machine its page is about: the one that repairs it, or would; else the oldest.
func (m *Machine) Choose() {
	if len(m.Checks) == 0 {
		return
	}
	slices.SortFunc(m.Checks, func(a, b *Check) int {
		x, y := a.MachineHealthCheck, b.MachineHealthCheck
		return cmp.Or(x.CreationTimestamp.Compare(y.CreationTimestamp.Time), cmp.Compare(x.Name, y.Name))
	})
	m.Check = m.Checks[0]
	if i := slices.IndexFunc(m.Checks, func(c *Check) bool { return c.finds(m) && c.Decision.Allowed && !c.Decision.Config.OnlyReports() }); i >= 0 {
		m.Check = m.Checks[i]
	}
	for _, c := range m.Checks {
		if shared := c.shared(m); shared != nil && shared.Other != "" {
			m.Check = m.named(shared.Other)
		}
	}
}

// named returns one of the MachineHealthChecks of a machine.
func (m *Machine) named(name string) *Check {
	for _, c := range m.Checks {
		if c.MachineHealthCheck.Name == name {
			return c
		}
	}
	return m.Check
}

// finds reports whether a MachineHealthCheck finds a machine sick that others select, too.
func (c *Check) finds(m *Machine) bool {
	shared := c.shared(m)
	return shared != nil && shared.Part != nil && shared.Part.Status == metav1.ConditionFalse
}

// Judges returns the MachineHealthChecks by whose rules a machine is judged, the oldest first.
func (m *Machine) Judges() (first *clusterv1.MachineHealthCheck, others []*clusterv1.MachineHealthCheck) {
	if shared := m.Check.shared(m); shared != nil {
		return shared.Checks[0], shared.Checks[1:]
	}
	return m.Check.MachineHealthCheck, nil
}

// beside says which other MachineHealthChecks select the machine, and why those that find it sick do not repair it; empty if there are none.
func (m *Machine) beside(now time.Time) string {
	var said []string
	for _, c := range m.Checks {
		if c == m.Check {
			continue
		}
		one, why := "MachineHealthCheck "+c.MachineHealthCheck.Name+" selects it, too", admission.PassedOver(c.Facts, now)
		if why == "" && !c.Decision.Allowed {
			why = "its gate is closed"
		}
		if why != "" && c.finds(m) {
			one += ", and is passed over: " + why
		}
		said = append(said, one)
	}
	return strings.Join(said, ". ")
}
