package pause

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/version"
)

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
