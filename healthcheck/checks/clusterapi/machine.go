package clusterapi

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Machine judges whether a Machine of Cluster API is ready.
//
// It is False if a health check found it unhealthy (NotHealthCheckSucceeded), or if condition
// Ready is not True (NotReady) although it has a Node. A Machine without a Node yet is
// Progressing (ReasonProvisioning, for 20 minutes), and so is one that is being deleted
// (ReasonDeleting, checks.DrainedWithin) and one whose status is about an older generation
// (checks.ReasonNotObserved). By the contract of v1beta2, Ready sums up bootstrap,
// infrastructure, Node and health checks; there is no longer a phase for failures. The times are
// those of Gardener for its machines.
//
// A new Machine is no alarm: it may be not ready for 20 minutes after its creation, unless a
// health check found it unhealthy.
func Machine(m *clusterv1.Machine) healthcheck.Result {
	if !m.DeletionTimestamp.IsZero() {
		return progressing(checks.DrainedWithin, ReasonDeleting, "Machine is being deleted")
	}
	if c := foundUnhealthy(m); c != nil {
		return unhealthy("Not"+c.Type, "%s", read(*c))
	}
	ready := judgeOf(m.Status.Conditions, read, isTrue(clusterv1.MachineReadyCondition))
	if ready.Status == healthcheck.False && m.Status.NodeRef.Name == "" {
		return progressing(provisionedWithin, ReasonProvisioning, "Machine has no Node yet. %s", ready.Message)
	}
	return observed(m.Generation, m.Status.ObservedGeneration, starting(provisionedWithin, m, ready, ready.Reason))
}

// foundUnhealthy returns the condition of a failed health check, or nil.
func foundUnhealthy(m *clusterv1.Machine) *metav1.Condition {
	c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
	if c == nil || c.Status != metav1.ConditionFalse {
		return nil
	}
	return c
}

// MachineSet judges whether a MachineSet of Cluster API has its Machines, as checks.ReplicaSet
// does for Pods.
//
// It is False if fewer Machines are ready than wanted (checks.ReasonReplicasNotReady). A status
// for an older generation is Progressing (checks.ReasonNotObserved).
func MachineSet(s *clusterv1.MachineSet) healthcheck.Result {
	return observed(s.Generation, s.Status.ObservedGeneration,
		atLeast(checks.ReasonReplicasNotReady, ptr.Deref(s.Status.ReadyReplicas, 0), ptr.Deref(s.Spec.Replicas, 1), "Machines are ready"))
}

// MachineDeployment judges whether a MachineDeployment of Cluster API is available, by the rule
// of Gardener for its own: it is False if condition Available is not True (NotAvailable). Cluster
// API has none of the rule's other conditions. A status for an older generation is Progressing
// (checks.ReasonNotObserved).
func MachineDeployment(d *clusterv1.MachineDeployment) healthcheck.Result {
	return observed(d.Generation, d.Status.ObservedGeneration, judgeOf(d.Status.Conditions, read, isTrue(clusterv1.MachineDeploymentAvailableCondition)))
}

// MachineDeploymentRolledOut judges whether a MachineDeployment has become what its spec says.
//
// It is Progressing (checks.ReasonRollingOut) until all Machines are there, available and up to date, and condition RollingOut, if
// present, is False. With the strategy OnDelete, Machines need not be up to date. Each generation has 20 minutes, and again as long
// as it advances. A status for an older generation is Progressing (checks.ReasonNotObserved).
//
// It is False (NotAvailable) if not one Machine is available although old ones are left that should be, and if condition Available
// is not True. The former has 20 minutes after the creation, and the latter after the condition's transition, and again as long as
// Machines become available: with the default maxUnavailable, each that is added makes the condition False, and nothing else tells
// that from an outage. MachineDeployment calls both False at once.
func MachineDeploymentRolledOut(d *clusterv1.MachineDeployment) healthcheck.Result {
	want, all := ptr.Deref(d.Spec.Replicas, 1), ptr.Deref(d.Status.Replicas, 0)
	updated, ready := ptr.Deref(d.Status.UpToDateReplicas, 0), ptr.Deref(d.Status.AvailableReplicas, 0)
	verdict := rollout(d, want, all, updated)
	available := judgeOf(d.Status.Conditions, read, isTrue(clusterv1.MachineDeploymentAvailableCondition))
	switch {
	case available.Status == healthcheck.False && ready == 0 && all > updated:
		verdict = tolerated(provisionedWithin, d.CreationTimestamp, available)
	case available.Status == healthcheck.False:
		verdict = recovering(provisionedWithin, unavailableSince(d), available)
	case verdict.Status == healthcheck.True && ready < want:
		verdict = rollingOut(number(d.Generation), "Fewer than %d Machines are available", want)
	}
	verdict = advancing(provisionedWithin, verdict, 2*(want-updated), 2*(all-updated), all-want, want-ready)
	return observedOutage(d.Generation, d.Status.ObservedGeneration, verdict)
}

// rollout says what is still to come of a roll-out, apart from availability.
func rollout(d *clusterv1.MachineDeployment, want, all, updated int32) healthcheck.Result {
	revision := number(d.Generation)
	byHand := d.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType
	rolling := meta.FindStatusCondition(d.Status.Conditions, clusterv1.MachineDeploymentRollingOutCondition)
	switch {
	case all < want:
		return rollingOut(revision, "Fewer than %d Machines are there", want)
	case !byHand && updated < want:
		return rollingOut(revision, "Fewer than %d Machines are up to date", want)
	case !byHand && all > updated:
		return rollingOut(revision, "Old Machines are left")
	case all > want:
		return rollingOut(revision, "More than %d Machines are left", want)
	case !byHand && rolling != nil && rolling.Status != metav1.ConditionFalse:
		return rollingOut(revision, "%s", read(*rolling))
	}
	return healthy()
}

// unavailableSince is the last transition of condition Available, or the creation if that is later.
func unavailableSince(d *clusterv1.MachineDeployment) metav1.Time {
	if c := meta.FindStatusCondition(d.Status.Conditions, clusterv1.MachineDeploymentAvailableCondition); c != nil {
		return metav1.NewTime(healthcheck.Latest(d.CreationTimestamp.Time, c.LastTransitionTime.Time))
	}
	return d.CreationTimestamp
}

// read converts a condition for the rules.
func read(c metav1.Condition) condition {
	return condition{c.Type, string(c.Status), c.Reason, c.Message}
}
