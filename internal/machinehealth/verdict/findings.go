package verdict

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// finding is one cause that makes a Machine unhealthy.
type finding struct {
	reason  string
	message string
	// since is when it began to count; zero if it counts at once.
	since time.Time
}

// findings are the findings so far, and when there may be more.
type findings struct {
	// found make the Machine unhealthy.
	found []finding
	// due is when the next pending cause becomes a finding; zero if nothing is pending.
	due time.Time
	// held are conditions that match, but that are not believed.
	held []finding
	// until is when what was found otherwise changes by itself; zero if it does not.
	until time.Time
}

func (f *findings) add(more findings) {
	f.found = append(f.found, more.found...)
	f.due = healthcheck.Earliest(f.due, more.due)
	f.held = append(f.held, more.held...)
	f.until = healthcheck.Earliest(f.until, more.until)
}

func (f findings) pending() bool { return !f.due.IsZero() }

// one returns a single finding.
func one(reason, message string, since time.Time) findings {
	return findings{found: []finding{{reason, message, since}}}
}

func (l look) startupTimedOut() findings {
	timeout := l.Rules.StartupTimeout
	if l.Node.State != NodeNone || timeout == 0 {
		return findings{}
	}
	due := l.startedAt().Add(timeout)
	if l.now.Before(due) {
		return findings{due: due}
	}
	return one(ReasonNodeStartupTimedOut, fmt.Sprintf("Node failed to start within %s", timeout), due)
}

func (l look) nodeMissing() findings {
	if l.Node.State != NodeGone || !l.Machine.DeletionTimestamp.IsZero() {
		return findings{}
	}
	return one(ReasonNodeNotFound, "Node not found", time.Time{})
}

func (l look) machineConditions() findings {
	var all findings
	for _, rule := range l.Rules.MachineConditions {
		for i := range l.Machine.Status.Conditions {
			c := &l.Machine.Status.Conditions[i]
			if c.Type == rule.Type && string(c.Status) == rule.Status {
				all.add(matching("Machine", rule, l.countsSince(c.LastTransitionTime.Time, l.Machine.CreationTimestamp.Time, rule.Timeout), l.now))
			}
		}
	}
	return all
}

func (l look) nodeConditions() findings {
	var all findings
	if l.Node.State != NodeFound {
		return all
	}
	for _, rule := range l.Rules.NodeConditions {
		held := len(all.held)
		for i := range l.Node.Node.Status.Conditions {
			c := &l.Node.Node.Status.Conditions[i]
			if string(c.Type) == rule.Type && string(c.Status) == rule.Status {
				all.add(l.signal(rule, c))
			}
		}
		if rule.Trust.Flaps > 0 && len(all.held) == held {
			all.add(l.flapping(rule))
		}
	}
	return all
}

// matching judges a condition that has matched its rule since the given time.
func matching(kind string, rule mhcspec.ConditionRule, since, now time.Time) findings {
	due := since.Add(rule.Timeout)
	if now.Before(due) {
		return findings{due: due}
	}
	return one(reasonFor(rule.Type, "Unhealthy"), fmt.Sprintf("%s condition %s is %s for more than %s", kind, rule.Type, rule.Status, rule.Timeout), due)
}
