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

// Reasons of the condition TopologyReconciled. Since 1.12, Cluster API reports ClusterUpgrading. Before that it had a reason for each
// step that waits, and none for a step in progress: the Machines show that one.
var (
	topologyGoesOn = []string{
		clusterv1.ClusterTopologyReconciledClusterUpgradingReason, "ControlPlaneUpgradePending", "MachineDeploymentsUpgradePending", "MachinePoolsUpgradePending",
	}
	topologyPutOff = []string{
		clusterv1.ClusterTopologyReconciledMachineDeploymentsUpgradeDeferredReason, clusterv1.ClusterTopologyReconciledMachinePoolsUpgradeDeferredReason,
	}
)

// hookBlocks was such a reason, too, but the hook need not belong to an upgrade.
const hookBlocks = "LifecycleHookBlocking"

// OfTopology returns the upgrade of a Cluster with a topology as a whole, if there is one. A condition reports it, even between the
// control plane and the workers. It is halted if a person has paused the Cluster, or deferred the rest of the upgrade. The condition
// may report something else for a while, such as a failure of Cluster API. If some parts do not have the new version in their spec by
// then, OfTopology returns an error: nobody can tell whether the upgrade goes on.
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
