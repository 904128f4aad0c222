package pause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// ClusterIDs is how the IDs of the upgrades of Clusters begin.
const ClusterIDs = "cluster/"

// WantedBy reports whether a Cluster asks to have its MachineHealthChecks paused while it upgrades.
func WantedBy(cluster *clusterv1.Cluster) (bool, error) {
	switch value, ok := cluster.Annotations[OptionAnnotation]; {
	case !ok, value == "false":
		return false, nil
	case value == "true":
		return true, nil
	default:
		return false, fmt.Errorf("annotation %s of Cluster %s is %q: it must be %q or %q", OptionAnnotation, cluster.Name, value, "true", "false")
	}
}

// OfCluster returns the upgrades of a Cluster to another Kubernetes version, by what Cluster API itself
// goes by: as a whole, if it has a topology. Otherwise each version that is being rolled out is an upgrade.
func OfCluster(
	cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment, machines *Census,
) ([]Upgrade, error) {
	return ofCluster(cluster, controlPlane, deployments, machines.versions)
}

func ofCluster(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment, machines inService) ([]Upgrade, error) {
	upgrades, err := OfTopology(cluster, controlPlane, deployments)
	if Going(upgrades) || err != nil {
		return upgrades, err
	}
	target, err := controlPlaneTarget(controlPlane, machines.of(controlPlaneMachines))
	if target != "" {
		upgrades = append(upgrades, rollout(cluster, target, annotations.IsPaused(cluster, controlPlane)))
	}
	for i := range deployments {
		if target := workersTarget(cluster, &deployments[i], machines.of(deployments[i].Name)); target != "" {
			upgrades = append(upgrades, rollout(cluster, target, workersPaused(cluster, &deployments[i])))
		}
	}
	return eachOnce(upgrades), err
}

// rollout is the upgrade to a version. It has halted while a person has paused what rolls it out.
func rollout(cluster *clusterv1.Cluster, target string, halted bool) Upgrade {
	return Upgrade{ID: ClusterIDs + target, Text: fmt.Sprintf("Cluster %s upgrades to %s", cluster.Name, target), Halted: halted}
}

// eachOnce sorts upgrades, and leaves one of those to the same version: it goes on if one of its parts does.
func eachOnce(upgrades []Upgrade) []Upgrade {
	last := func(halted bool) int {
		if halted {
			return 1
		}
		return 0
	}
	slices.SortFunc(upgrades, func(a, b Upgrade) int { return cmp.Or(strings.Compare(a.ID, b.ID), last(a.Halted)-last(b.Halted)) })
	return slices.CompactFunc(upgrades, func(a, b Upgrade) bool { return a.ID == b.ID })
}

// workersTarget returns the version that a MachineDeployment rolls out; empty if it does not: because
// all its machines are to have it, because it waits for a person to delete them, or because it is being deleted itself.
func workersTarget(cluster *clusterv1.Cluster, deployment *clusterv1.MachineDeployment, machines *fleetState) string {
	target := deployment.Spec.Template.Spec.Version
	if deployment.Spec.ClusterName != cluster.Name || target == "" || !deployment.DeletionTimestamp.IsZero() ||
		deployment.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType {
		return ""
	}
	for has := range machines.versions {
		if strings.TrimPrefix(has, "v") != strings.TrimPrefix(target, "v") {
			return target
		}
	}
	return ""
}

// workersPaused reports whether a person has paused a MachineDeployment.
func workersPaused(cluster *clusterv1.Cluster, deployment *clusterv1.MachineDeployment) bool {
	return annotations.IsPaused(cluster, deployment) || (deployment.Spec.Paused != nil && *deployment.Spec.Paused)
}
