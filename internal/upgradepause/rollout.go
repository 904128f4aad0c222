package upgradepause

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/cluster-api/util/version"
)

// wantsPauses tells whether a Cluster asks to have its MachineHealthChecks paused while it
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

// ofCluster tells whether a Cluster rolls out another Kubernetes version, by what Cluster API itself
// goes by: as a whole, if it has a topology. Otherwise each version that is being rolled out is an upgrade.
func ofCluster(cluster *clusterv1.Cluster, controlPlane *unstructured.Unstructured, deployments []clusterv1.MachineDeployment) ([]Upgrade, error) {
	if upgrades, err := ofTopology(cluster, controlPlane, deployments); len(upgrades) > 0 || err != nil {
		return upgrades, err
	}
	var upgrades []Upgrade
	target, err := controlPlaneTarget(controlPlane)
	errs := []error{err}
	if target != "" {
		upgrades = append(upgrades, rollout(cluster, target, time.Time{}))
	}
	for i := range deployments {
		target, err := workersTarget(cluster, &deployments[i])
		errs = append(errs, err)
		if target != "" {
			upgrades = append(upgrades, rollout(cluster, target, time.Time{}))
		}
	}
	slices.SortFunc(upgrades, func(a, b Upgrade) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(upgrades, func(a, b Upgrade) bool { return a.ID == b.ID }), errors.Join(errs...)
}

func rollout(cluster *clusterv1.Cluster, target string, since time.Time) Upgrade {
	return Upgrade{ID: clusterID + target, Text: fmt.Sprintf("Cluster %s upgrades to %s", cluster.Name, target), Since: since}
}

// controlPlaneTarget returns the version that a control plane upgrades to; empty if it does not. As
// in Cluster API, it does if one of its machines is older than it should be. One that says nothing about its
// machines yet is being created.
func controlPlaneTarget(controlPlane *unstructured.Unstructured) (string, error) {
	if controlPlane == nil {
		return "", nil
	}
	target, _, err := unstructured.NestedString(controlPlane.Object, "spec", "version")
	if err != nil || target == "" {
		return "", err
	}
	current, err := currentVersions(controlPlane)
	if err != nil {
		return "", err
	}
	wanted, err := semver.ParseTolerant(target)
	if err != nil {
		return "", fmt.Errorf("reading the version of %s %s: %w", controlPlane.GetKind(), controlPlane.GetName(), err)
	}
	for _, text := range current {
		actual, err := semver.ParseTolerant(text)
		if err != nil {
			return "", fmt.Errorf("reading the status of %s %s: %w", controlPlane.GetKind(), controlPlane.GetName(), err)
		}
		if version.Compare(wanted, actual, version.WithBuildTags()) > 0 {
			return target, nil
		}
	}
	return "", nil
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
// all its machines have it, because it waits for a person to delete them, or because it is paused.
func workersTarget(cluster *clusterv1.Cluster, deployment *clusterv1.MachineDeployment) (string, error) {
	target := deployment.Spec.Template.Spec.Version
	if deployment.Spec.ClusterName != cluster.Name || target == "" || annotations.IsPaused(cluster, deployment) ||
		(deployment.Spec.Paused != nil && *deployment.Spec.Paused) ||
		deployment.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType {
		return "", nil
	}
	if len(deployment.Status.Versions) == 0 && deployment.Status.Replicas != nil && *deployment.Status.Replicas > 0 {
		return "", fmt.Errorf("MachineDeployment %s does not say which versions its machines have: that takes Cluster API 1.14", deployment.Name)
	}
	if slices.ContainsFunc(deployment.Status.Versions, func(v clusterv1.StatusVersion) bool { return !is(v.Version, target) }) {
		return target, nil
	}
	return "", nil
}

// is tells whether a machine has the version that it is to have. What a kubelet reports may have a
// suffix of its distribution: v1.31.4 is rolled out when v1.31.4-eks-a737599 runs.
func is(actual, target string) bool {
	suffix, ok := strings.CutPrefix(strings.TrimPrefix(actual, "v"), strings.TrimPrefix(target, "v"))
	return ok && (suffix == "" || suffix[0] == '-' || suffix[0] == '+')
}
