package pause

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// Reasons of the condition TopologyReconciled. Since 1.12, Cluster API reports ClusterUpgrading. Before that it had a reason for each
// step that waits, and none for a step in progress: the Machines show that one.
var (
	topologyGoesOn = []string{clusterv1.ClusterTopologyReconciledClusterUpgradingReason, "MachinePoolsUpgradePending"}
	topologyPutOff = []string{
		clusterv1.ClusterTopologyReconciledMachineDeploymentsUpgradeDeferredReason, clusterv1.ClusterTopologyReconciledMachinePoolsUpgradeDeferredReason,
	}
)

// ofTopology returns the upgrade of a Cluster with a topology as a whole, if there is one. A condition reports it, even between the
// control plane and the workers. It is halted if a person has paused the Cluster, or deferred the rest of the upgrade. Whatever else the
// condition reports, such as a step that waits or a failure, the upgrade goes on while some parts do not have the new version in their
// spec.
func ofTopology(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment) []Upgrade {
	c := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition)
	if c == nil || c.Status != metav1.ConditionFalse {
		return nil
	}
	upgrade := rollout(cluster, cluster.Spec.Topology.Version, annotations.IsPaused(cluster, cluster))
	switch {
	case slices.Contains(topologyGoesOn, c.Reason):
	case slices.Contains(topologyPutOff, c.Reason):
		upgrade.Halted = true
	case !behind(cluster, controlPlane, deployments):
		return nil
	case c.Reason == clusterv1.ClusterTopologyReconcilePausedReason:
		upgrade.Halted = true
	}
	return []Upgrade{upgrade}
}

// behind reports whether the spec of some part does not have the topology's version yet.
func behind(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment) bool {
	wanted := cluster.Spec.Topology.Version
	if controlPlane != nil {
		if target, _, _ := unstructured.NestedString(controlPlane.Object, "spec", "version"); target != wanted {
			return true
		}
	}
	return slices.ContainsFunc(deployments, func(d clusterv1.MachineDeployment) bool {
		_, owned := d.Labels[clusterv1.ClusterTopologyOwnedLabel]
		return owned && d.Spec.ClusterName == cluster.Name && d.Spec.Template.Spec.Version != wanted
	})
}
