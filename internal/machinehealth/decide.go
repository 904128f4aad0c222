package machinehealth

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Decide gives the verdict on a Machine. It goes through four steps, and the
// first that answers decides: remediation was asked for; the Machine is
// unhealthy; it cannot be decided yet; it is healthy. The table with every row is
// in docs/concepts.md.
func Decide(f Facts, now time.Time) healthcheck.Result {
	if _, asked := f.Machine.Annotations[clusterv1.RemediateMachineAnnotation]; asked {
		return healthcheck.Result{Status: healthcheck.False, Reason: ReasonRemediateAnnotation, Message: "Marked for remediation via remediate-machine annotation"}
	}
	found := examine(f, now)
	if len(found.unhealthy) > 0 {
		if held, ok := heldBack(f); ok {
			return held
		}
		return found.verdict(f)
	}
	if undecided, ok := notDecided(f, found, now); ok {
		return undecided
	}
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSucceeded, RecheckAt: found.hostDue}
}

// heldBack answers for a Machine with findings whose Cluster is not up yet: it
// is not the Machine's fault.
func heldBack(f Facts) (healthcheck.Result, bool) {
	if !isTrue(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition) {
		return unknown(ReasonWaitingForInfrastructure, "Waiting for the cluster infrastructure to be ready"), true
	}
	if !isTrue(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition) && !isControlPlane(f.Machine) {
		return unknown(ReasonWaitingForControlPlane, "Waiting for the control plane to be initialized"), true
	}
	return healthcheck.Result{}, false
}

// heldBackUntil is when findings began to count, for a Cluster that is up.
func heldBackUntil(f Facts) time.Time {
	until := trueSince(f.Cluster.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition)
	if isControlPlane(f.Machine) {
		return until
	}
	return later(until, trueSince(f.Cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition))
}

// notDecided answers for a Machine without findings about which it is too early,
// or impossible, to tell.
func notDecided(f Facts, found findings, now time.Time) (healthcheck.Result, bool) {
	switch {
	case f.Node.State == NodeGone:
		return found.waiting(f, unknown(ReasonDeleting, "Machine is being deleted")), true
	case f.Node.State == NodeUnreadable:
		return unreadable(f, found, now), true
	case !found.provisioningDue.IsZero():
		return found.waiting(f, unknown(ReasonWaitingForProvisioning, "Waiting for Machine to be provisioned")), true
	case f.Node.State == NodeNone:
		return found.waiting(f, unknown(ReasonWaitingForNodeRef, "Waiting for Node to be created")), true
	case !found.nodeDue.IsZero():
		return found.waiting(f, unknown(ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout")), true
	case !found.machineDue.IsZero():
		return found.waiting(f, unknown(ReasonMachineConditionsNotYet, "Waiting for unhealthyCondition timeout")), true
	}
	return healthcheck.Result{}, false
}

// unreadable lets a Machine that was healthy stay so for a while: the loss of a
// connection says nothing about the Machines behind it.
func unreadable(f Facts, found findings, now time.Time) healthcheck.Result {
	graceEnd := f.Node.LostAt.Add(f.GracePeriod)
	if f.WasHealthy && now.Before(graceEnd) {
		return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSucceeded, RecheckAt: healthcheck.Earliest(graceEnd, found.due())}
	}
	return found.waiting(f, unknown(ReasonNodeUnavailable, "Node cannot be read: "+f.Node.Cause))
}

func unknown(reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: reason, Message: message}
}
