package pause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// ClusterIDs is the ID prefix of the upgrades of Clusters.
const ClusterIDs = "cluster/"

// WantedBy reports whether a Cluster asks Sickbay to pause its MachineHealthChecks while it upgrades.
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

// OfCluster returns the upgrades of a Cluster to another Kubernetes version, from the fields that Cluster API itself
// uses. A Cluster with a topology upgrades as a whole. Otherwise each version that is being rolled out is an upgrade.
func OfCluster(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment, machines InService) ([]Upgrade, error) {
	whole := ofTopology(cluster, controlPlane, deployments)
	if Going(whole) {
		return whole, nil
	}
	parts, err := rollouts(cluster, controlPlane, deployments, machines)
	return eachOnce(append(whole, parts...)), err
}

// rollouts returns the upgrades that the machines show.
func rollouts(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment, machines InService) ([]Upgrade, error) {
	var upgrades []Upgrade
	target, err := controlPlaneTarget(controlPlane, machines[controlPlaneMachines])
	if target != "" {
		upgrades = append(upgrades, rollout(cluster, target, annotations.IsPaused(cluster, controlPlane)))
	}
	for i := range deployments {
		if target := workersTarget(cluster, &deployments[i], machines[deployments[i].Name]); target != "" {
			upgrades = append(upgrades, rollout(cluster, target, workersPaused(cluster, &deployments[i])))
		}
	}
	return upgrades, err
}

// rollout returns the upgrade to a version. It is halted if a person has paused the object that rolls it out.
func rollout(cluster *clusterv1.Cluster, target string, halted bool) Upgrade {
	return Upgrade{ID: ClusterIDs + target, Text: fmt.Sprintf("Cluster %s upgrades to %s", cluster.Name, target), Halted: halted}
}

// eachOnce sorts upgrades and keeps one for each version: it goes on if one of its parts does.
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

// workersTarget returns the version that a MachineDeployment rolls out. It is empty if all its machines should have
// that version already, if it replaces machines only when a person deletes them, or if it is being deleted.
func workersTarget(cluster *clusterv1.Cluster, deployment *clusterv1.MachineDeployment, machines sets.Set[string]) string {
	target := deployment.Spec.Template.Spec.Version
	if deployment.Spec.ClusterName != cluster.Name || target == "" || !deployment.DeletionTimestamp.IsZero() ||
		deployment.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType {
		return ""
	}
	for has := range machines {
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
