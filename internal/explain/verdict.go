package explain

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// maxLooks bounds how many deadlines ahead to look for a change. A deadline may change nothing.
const maxLooks = 8

// nextVerdict returns when the verdict on a machine changes by itself; false if it does not, or if that is unknown here.
func (m *Machine) nextVerdict(now time.Time) (Upcoming, bool) {
	if m.Health == nil || !m.nodeKnown() || m.unjudged() {
		return Upcoming{}, false
	}
	at, before, health := now, m.verdict(), *m.Health
	health.HeardAt = now // The detectors that are heard now are heard later, too.
	for range maxLooks {
		result := verdict.Decide(health, at)
		if status := verdict.ConditionStatus(result.Status); status != before.Status {
			return m.upcoming(at, verdictWords(status, result)), true
		}
		due := ahead.FirstAfter(at, result.RecheckAt, result.Deadline)
		if due.IsZero() {
			break
		}
		at = due
	}
	return Upcoming{}, false
}

// nodeKnown reports whether the manager and this process can both read the Node, or neither can; the verdict says whether the manager
// can. If only one can, the next verdict cannot be predicted: the manager's connection may return at any time.
func (m *Machine) nodeKnown() bool {
	return (m.Health.Node.State == verdict.NodeUnreadable) == m.unavailable()
}

// unavailable reports whether, by the verdict, the manager cannot read the Node.
func (m *Machine) unavailable() bool {
	return m.verdict().Reason == verdict.ReasonNodeUnavailable
}

func verdictWords(status metav1.ConditionStatus, result healthcheck.Result) string {
	switch status {
	case metav1.ConditionFalse:
		return "is sick: " + result.Message
	case metav1.ConditionTrue:
		return "is healthy"
	default:
		return "is undecided: " + result.Message
	}
}

func (m *Machine) upcoming(at time.Time, what string) Upcoming {
	return Upcoming{At: at, Namespace: m.Machine.Namespace, Cluster: m.Machine.Spec.ClusterName, Name: m.Machine.Name, What: what}
}

// clocks names what has happened in the future, so that some clock is wrong; empty if nothing has.
func (m *Machine) clocks(now time.Time) string {
	if m.Health == nil {
		return ""
	}
	var parts []string
	for _, one := range verdict.FutureTransitions(*m.Health, now) {
		part := fmt.Sprintf("%s has a transition in the future, at %s (in %s): some clock is wrong", one.Condition, Clock(one.At, now), ago(now, one.At))
		if one.Disregarded {
			part += ", and Sickbay disregards this time"
		}
		parts = append(parts, part)
	}
	return JoinParts(parts...)
}

// traits are properties that sick machines may share and that point at a cause.
var traits = []struct {
	what string
	of   func(*clusterv1.Machine) string
}{
	{"in failure domain", func(m *clusterv1.Machine) string { return m.Spec.FailureDomain }},
	{"of MachineDeployment", func(m *clusterv1.Machine) string { return m.Labels[clusterv1.MachineDeploymentNameLabel] }},
	{"of version", func(m *clusterv1.Machine) string { return m.Spec.Version }},
	{"of owner", func(m *clusterv1.Machine) string {
		if owner := metav1.GetControllerOf(m); owner != nil {
			return owner.Kind + " " + owner.Name
		}
		return ""
	}},
}

// pattern says what all sick machines of a MachineHealthCheck share and the others do not; empty if nothing, or if fewer than
// two machines are sick.
func (c *Check) pattern() string {
	if c == nil {
		return ""
	}
	var sick, others []*clusterv1.Machine
	for _, m := range c.Machines {
		if m.sick() {
			sick = append(sick, m.Machine)
			continue
		}
		others = append(others, m.Machine)
	}
	if len(sick) < 2 {
		return ""
	}
	for _, trait := range traits {
		common := trait.of(sick[0])
		differs := func(m *clusterv1.Machine) bool { return trait.of(m) != common }
		if common != "" && !slices.ContainsFunc(sick, differs) && slices.ContainsFunc(others, differs) {
			return fmt.Sprintf("All %d sick machines are %s %s", len(sick), trait.what, common)
		}
	}
	return ""
}
