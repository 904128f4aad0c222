package pause

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// Reasons of the condition TopologyReconciled. Cluster API says ClusterUpgrading from 1.12 on. Before that it had a reason for each
// step that waits, and none while a step is under way: that is seen by the Machines.
var (
	topologyGoesOn = []string{
		clusterv1.ClusterTopologyReconciledClusterUpgradingReason, "ControlPlaneUpgradePending", "MachineDeploymentsUpgradePending", "MachinePoolsUpgradePending",
	}
	topologyPutOff = []string{
		clusterv1.ClusterTopologyReconciledMachineDeploymentsUpgradeDeferredReason, clusterv1.ClusterTopologyReconciledMachinePoolsUpgradeDeferredReason,
	}
)

// hookBlocks is such a reason, too, but the hook may be one of another step than an upgrade.
const hookBlocks = "LifecycleHookBlocking"

// OfTopology returns the upgrade of a Cluster with a topology as a whole, if there is one: that is said in a
// condition, also between its control plane and its workers. It has halted while a person has paused the Cluster, or put off what is
// left of the upgrade. The condition may have something else to say for a while, such as that Cluster API failed to do the next step.
// If the new version has not come to all parts by then, nobody can tell whether the upgrade goes on.
func OfTopology(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment) ([]Upgrade, error) {
	c := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition)
	if c == nil || c.Status != metav1.ConditionFalse {
		return nil, nil
	}
	upgrade := rollout(cluster, cluster.Spec.Topology.Version, annotations.IsPaused(cluster, cluster))
	upgrade.Since = c.LastTransitionTime.Time
	switch {
	case slices.Contains(topologyGoesOn, c.Reason):
	case slices.Contains(topologyPutOff, c.Reason):
		upgrade.Halted = true
	case !behind(cluster, controlPlane, deployments):
		return nil, nil
	case c.Reason == hookBlocks:
	case c.Reason == clusterv1.ClusterTopologyReconcilePausedReason:
		upgrade.Halted = true
	case c.Reason == clusterv1.ClusterTopologyReconciledFailedReason, c.Reason == clusterv1.ClusterTopologyReconciledClusterClassNotReconciledReason:
		return nil, fmt.Errorf("the topology of Cluster %s is not all at %s yet, and says no more than %s",
			cluster.Name, cluster.Spec.Topology.Version, c.Reason)
	default:
		return nil, nil
	}
	return []Upgrade{upgrade}, nil
}

// behind reports whether there are parts that are not even to have the version of the topology yet.
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
