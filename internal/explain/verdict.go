package explain

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// maxLooks bounds how many deadlines ahead to look for a change. A deadline may change nothing.
const maxLooks = 8

// nextVerdict returns when the verdict on a machine changes by itself; false if it does not, or if that is unknown here.
func (m *Machine) nextVerdict(now time.Time) (Upcoming, bool) {
	if m.Health == nil || !m.nodeKnown() || m.paused() != "" {
		return Upcoming{}, false
	}
	at, before := now, m.verdict()
	for range maxLooks {
		result := verdict.Decide(*m.Health, at)
		if status := conditionStatus(result.Status); status != before.Status {
			return m.upcoming(at, verdictWords(status, result)), true
		}
		due := firstAfter(at, result.RecheckAt, result.Deadline)
		if due.IsZero() {
			break
		}
		at = due
	}
	return Upcoming{}, false
}

// firstAfter returns the earliest of the times after now; zero if there is none.
func firstAfter(now time.Time, all ...time.Time) time.Time {
	var first time.Time
	for _, at := range all {
		if at.After(now) {
			first = healthcheck.Earliest(first, at)
		}
	}
	return first
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

func conditionStatus(s healthcheck.Status) metav1.ConditionStatus {
	if s == healthcheck.Progressing {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionStatus(s)
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
