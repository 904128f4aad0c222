package upgradepause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/cluster-api/util/version"
)

// wantsPauses reports whether a Cluster asks to have its MachineHealthChecks paused while it
// upgrades.
func wantsPauses(cluster *clusterv1.Cluster) (bool, error) {
	switch value, ok := cluster.Annotations[OptionAnnotation]; {
	case !ok, value == "false":
		return false, nil
	case value == "true":
		return true, nil
	default:
		return false, fmt.Errorf("annotation %s of Cluster %s is %q: it must be %q or %q", OptionAnnotation, cluster.Name, value, "true", "false")
	}
}

// ofCluster reports whether a Cluster rolls out another Kubernetes version, by what Cluster API itself
// goes by: as a whole, if it has a topology. Otherwise each version that is being rolled out is an upgrade.
func ofCluster(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment, machines inService) ([]Upgrade, error) {
	upgrades, err := ofTopology(cluster, controlPlane, deployments)
	if going(upgrades) || err != nil {
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
	return Upgrade{ID: clusterID + target, Text: fmt.Sprintf("Cluster %s upgrades to %s", cluster.Name, target), Halted: halted}
}

// eachOnce sorts upgrades, and leaves one of those to the same version: it goes on if one of its parts does.
func eachOnce(upgrades []Upgrade) []Upgrade {
	slices.SortFunc(upgrades, func(a, b Upgrade) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(number(a.Halted), number(b.Halted)))
	})
	return slices.CompactFunc(upgrades, func(a, b Upgrade) bool { return a.ID == b.ID })
}

// going reports whether one of them goes on.
func going(upgrades []Upgrade) bool {
	return slices.ContainsFunc(upgrades, func(u Upgrade) bool { return !u.Halted })
}

// controlPlaneTarget returns the version that a control plane upgrades to; empty if it does not. It does if one of its
// Machines is older than it should be. One without Machines tells in its status which versions it has; one that says
// nothing there is being created.
func controlPlaneTarget(controlPlane *unstructured.Unstructured, machines *fleetState) (string, error) {
	if controlPlane == nil {
		return "", nil
	}
	target, _, err := unstructured.NestedString(controlPlane.Object, "spec", "version")
	if err != nil || target == "" {
		return "", err
	}
	current := slices.Sorted(maps.Keys(machines.versions))
	if len(current) == 0 {
		if current, err = currentVersions(controlPlane); err != nil {
			return "", err
		}
	}
	wanted, err := semver.ParseTolerant(target)
	if err != nil {
		return "", fmt.Errorf("reading the version of %s %s: %w", controlPlane.GetKind(), controlPlane.GetName(), err)
	}
	for _, text := range current {
		actual, err := semver.ParseTolerant(text)
		if err != nil {
			return "", fmt.Errorf("reading the versions of the machines of %s %s: %w", controlPlane.GetKind(), controlPlane.GetName(), err)
		}
		if older(actual, wanted) {
			return target, nil
		}
	}
	return "", nil
}

// older compares versions, with their builds only if both name one: not every control plane passes its own on to its machines. What a
// vendor puts in the place of a pre-release is no pre-release either, unless both have it: v1.31.0-eks-1 is not older than v1.31.0.
func older(actual, wanted semver.Version) bool {
	if ofVendor(actual) != ofVendor(wanted) {
		actual, wanted = withoutVendor(actual), withoutVendor(wanted)
	}
	if len(actual.Build) == 0 || len(wanted.Build) == 0 {
		return version.Compare(wanted, actual) > 0
	}
	return version.Compare(wanted, actual, version.WithBuildTags()) > 0
}

// ofVendor reports whether a version has another suffix than Kubernetes gives to its pre-releases.
func ofVendor(v semver.Version) bool {
	return len(v.Pre) > 0 && !slices.ContainsFunc([]string{"alpha", "beta", "rc"}, func(kind string) bool { return strings.HasPrefix(v.Pre[0].VersionStr, kind) })
}

func withoutVendor(v semver.Version) semver.Version {
	if ofVendor(v) {
		v.Pre = nil
	}
	return v
}

// currentVersions returns status.versions or, of a control plane that does not have it, status.version.
func currentVersions(controlPlane *unstructured.Unstructured) ([]string, error) {
	var status struct {
		Status struct {
			Version  string                    `json:"version"`
			Versions []clusterv1.StatusVersion `json:"versions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(controlPlane.Object, &status); err != nil {
		return nil, fmt.Errorf("reading the status of %s %s: %w", controlPlane.GetKind(), controlPlane.GetName(), err)
	}
	var versions []string
	for _, v := range status.Status.Versions {
		versions = append(versions, v.Version)
	}
	if len(versions) == 0 && status.Status.Version != "" {
		versions = []string{status.Status.Version}
	}
	return versions, nil
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
