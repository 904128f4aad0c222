package machinehealth

import (
	"fmt"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// findings is what an examination brought to light.
type findings struct {
	// unhealthy are the findings that make the Machine unhealthy, in the order of
	// the table: failure, provisioning, host, startup, Node gone, Machine conditions, Node conditions.
	unhealthy []finding
	// These are the moments at which what is only pending now becomes a finding,
	// the earliest of each kind; zero if nothing is pending.
	provisioningDue, hostDue, startupDue, machineDue, nodeDue time.Time
}

// finding is one cause for which a Machine is unhealthy.
type finding struct {
	reason  string
	message string
	// since is the moment from which it counts; zero if it counts at once.
	since time.Time
}

// examine goes through all rules without looking at the Cluster.
func examine(f Facts, now time.Time) findings {
	var found findings
	found.phase(f, now)
	found.host(f, now)
	found.startup(f, now)
	if f.Node.State == NodeGone && f.Machine.DeletionTimestamp.IsZero() {
		found.unhealthy = append(found.unhealthy, finding{reason: ReasonNodeNotFound, message: "Node not found"})
	}
	for _, rule := range f.Rules.MachineConditions {
		for i := range f.Machine.Status.Conditions {
			c := &f.Machine.Status.Conditions[i]
			if c.Type == rule.Type && string(c.Status) == rule.Status {
				since := countsSince(f, c.LastTransitionTime.Time, f.Machine.CreationTimestamp.Time)
				found.condition("Machine", rule, since, now, &found.machineDue)
			}
		}
	}
	if f.Node.State != NodeFound {
		return found
	}
	for _, rule := range f.Rules.NodeConditions {
		for i := range f.Node.Node.Status.Conditions {
			c := &f.Node.Node.Status.Conditions[i]
			if string(c.Type) == rule.Type && string(c.Status) == rule.Status {
				since := countsSince(f, c.LastTransitionTime.Time, f.Node.Node.CreationTimestamp.Time)
				found.condition("Node", rule, since, now, &found.nodeDue)
			}
		}
	}
	return found
}

func (found *findings) startup(f Facts, now time.Time) {
	timeout := f.Rules.StartupTimeout
	if f.Node.State != NodeNone || timeout == 0 {
		return
	}
	due := startedAt(f).Add(timeout)
	if now.Before(due) {
		found.startupDue = due
		return
	}
	found.unhealthy = append(found.unhealthy, finding{ReasonNodeStartupTimedOut, fmt.Sprintf("Node failed to start within %s", timeout), due})
}

// condition judges a condition that matches its rule since the given moment.
func (found *findings) condition(kind string, rule ConditionRule, since, now time.Time, due *time.Time) {
	at := since.Add(rule.Timeout)
	if now.Before(at) {
		*due = healthcheck.Earliest(*due, at)
		return
	}
	message := fmt.Sprintf("%s condition %s is %s for more than %s", kind, rule.Type, rule.Status, rule.Timeout)
	found.unhealthy = append(found.unhealthy, finding{reasonFor(rule.Type), message, at})
}

// due is when the next pending thing becomes a finding; zero if nothing is pending.
func (found *findings) due() time.Time {
	first := healthcheck.Earliest(healthcheck.Earliest(found.provisioningDue, found.hostDue), found.startupDue)
	return healthcheck.Earliest(first, healthcheck.Earliest(found.machineDue, found.nodeDue))
}

// verdict joins the findings. The reason is that of the first, the deadline the
// moment since which the Machine has counted as unhealthy.
func (found *findings) verdict(f Facts) healthcheck.Result {
	result := healthcheck.Result{Status: healthcheck.False, Reason: found.unhealthy[0].reason, RecheckAt: found.due()}
	messages := make([]string, len(found.unhealthy))
	for i, one := range found.unhealthy {
		messages[i] = one.message
		result.Deadline = healthcheck.Earliest(result.Deadline, one.since)
	}
	if !result.Deadline.IsZero() {
		result.Deadline = later(result.Deadline, heldBackUntil(f))
	}
	result.Message = strings.Join(messages, "; ")
	return result
}

// waiting lets an undecided result change when the next pending thing is due. It
// is Progressing if the Machine will be unhealthy then, and not if that would be
// held back.
func (found *findings) waiting(f Facts, result healthcheck.Result) healthcheck.Result {
	due := found.due()
	if _, held := heldBack(f); held || due.IsZero() {
		result.RecheckAt = due
		return result
	}
	result.Status, result.Deadline = healthcheck.Progressing, due
	return result
}

// startedAt is when the startup clock of a Machine began to run: a Machine cannot
// come up before the infrastructure and the control plane it needs.
func startedAt(f Facts) time.Time {
	at := later(f.Machine.CreationTimestamp.Time, f.Rules.ResumedAt)
	at = later(at, trueSince(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition))
	at = later(at, trueSince(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition))
	return later(at, trueSince(f.Machine.Status.Conditions, clusterv1.MachineInfrastructureReadyCondition))
}

// countsSince is when a condition began to count: at its last transition, and not
// before the end of the last pause. A condition without a transition time counts
// from the creation of its object.
func countsSince(f Facts, lastTransition, created time.Time) time.Time {
	if lastTransition.IsZero() {
		lastTransition = created
	}
	return later(lastTransition, f.Rules.ResumedAt)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
