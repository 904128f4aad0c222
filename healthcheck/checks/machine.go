package checks

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Machine asks whether a Machine of Cluster API is ready.
//
// It is False if a health check has found it unhealthy (NotHealthCheckSucceeded), or if
// condition Ready is not True (NotReady) although it has a Node. One without a Node yet
// is Progressing (ReasonProvisioning, ProvisionedWithin), and so is one that is being
// deleted (ReasonDeleting, DrainedWithin) and one of an older generation
// (ReasonNotObserved). Ready sums up, after the contract of v1beta2, what bootstrap,
// infrastructure, Node and health checks say; there is no phase for failures any more.
// The times are those of Gardener for its machines.
func Machine(m *clusterv1.Machine) healthcheck.Result {
	if !m.DeletionTimestamp.IsZero() {
		return progressing(DrainedWithin, ReasonDeleting, "Machine is being deleted")
	}
	if c, failed := foundUnhealthy(m); failed {
		return unhealthy("Not"+c.Type, "%s", c)
	}
	ready := judgeOf(m.Status.Conditions, metav1Condition, isTrue(clusterv1.MachineReadyCondition))
	if ready.Status == healthcheck.False && m.Status.NodeRef.Name == "" {
		return progressing(ProvisionedWithin, ReasonProvisioning, "Machine has no Node yet. %s", ready.Message)
	}
	return observed(m.Generation, m.Status.ObservedGeneration, ready)
}

// foundUnhealthy tells whether a health check has given a Machine up.
func foundUnhealthy(m *clusterv1.Machine) (condition, bool) {
	c, found := findOf(m.Status.Conditions, metav1Condition, clusterv1.MachineHealthCheckSucceededCondition)
	return c, found && c.Status == string(metav1.ConditionFalse)
}

// MachineSet asks whether a MachineSet of Cluster API has its Machines, as ReplicaSet
// asks for Pods.
//
// It is False if fewer Machines are ready than wanted (ReasonReplicasNotReady). An older
// generation is Progressing (ReasonNotObserved).
func MachineSet(s *clusterv1.MachineSet) healthcheck.Result {
	return observed(s.Generation, s.Status.ObservedGeneration,
		enough(ReasonReplicasNotReady, orZero(s.Status.ReadyReplicas), orOne(s.Spec.Replicas), "Machines are ready"))
}

// MachineDeployment asks whether a MachineDeployment of Cluster API is available, as
// Gardener asks for its own: it is False if condition Available is not True
// (NotAvailable). Cluster API has none of the other conditions of the rule. An older
// generation is Progressing (ReasonNotObserved).
func MachineDeployment(d *clusterv1.MachineDeployment) healthcheck.Result {
	return observed(d.Generation, d.Status.ObservedGeneration,
		judgeOf(d.Status.Conditions, metav1Condition, isTrue(clusterv1.MachineDeploymentAvailableCondition)))
}

// MachineDeploymentRolledOut asks for what MachineDeployment asks, and that nothing
// rolls out.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each generation) until all
// Machines are up to date, and condition RollingOut, if there is one, is False. To
// replace machines takes its time: Within should give more for many of them.
func MachineDeploymentRolledOut(d *clusterv1.MachineDeployment) healthcheck.Result {
	return then(MachineDeployment(d), func() healthcheck.Result {
		revision, want, updated := number(d.Generation), orOne(d.Spec.Replicas), orZero(d.Status.UpToDateReplicas)
		if updated < want {
			return rollingOut(revision, "%d of %d Machines are up to date", updated, want)
		}
		if all := orZero(d.Status.Replicas); all > updated {
			return rollingOut(revision, "%d old Machines are left", all-updated)
		}
		rolling, found := findOf(d.Status.Conditions, metav1Condition, clusterv1.MachineDeploymentRollingOutCondition)
		if found && rolling.Status != "False" {
			return rollingOut(revision, "%s", rolling)
		}
		return healthy()
	})
}

func metav1Condition(c metav1.Condition) condition {
	return condition{c.Type, string(c.Status), c.Reason, c.Message}
}

func orZero(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}
