package pause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/cluster-api/util/version"
)

// controlPlaneTarget returns the version that a control plane upgrades to; empty if it does not upgrade. It upgrades if one of its
// Machines is older than its spec says. A control plane without Machines reports its versions in its status; if it reports none, it
// is being created.
func controlPlaneTarget(controlPlane *unstructured.Unstructured, machines sets.Set[string]) (string, error) {
	if controlPlane == nil {
		return "", nil
	}
	target, _, err := unstructured.NestedString(controlPlane.Object, "spec", "version")
	if err != nil || target == "" {
		return "", err
	}
	current := sets.List(machines)
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
		aim := wanted
		if minorOnly(text) || minorOnly(target) {
			actual, aim = minorOf(actual), minorOf(wanted)
		}
		if older(actual, aim) {
			return target, nil
		}
	}
	return "", nil
}

// minorOnly reports whether a version has no patch level, as some managed control planes report theirs.
func minorOnly(text string) bool {
	core, _, _ := strings.Cut(text, "+")
	core, _, _ = strings.Cut(core, "-")
	return strings.Count(core, ".") < 2
}

// minorOf returns a version without what follows its minor.
func minorOf(v semver.Version) semver.Version { return semver.Version{Major: v.Major, Minor: v.Minor} }

// older compares versions. It compares builds only if both versions have one: not every control plane passes its build on to its
// machines. A vendor's suffix is not a pre-release, unless both versions have one: v1.31.0-eks-1 is not older than v1.31.0.
func older(actual, wanted semver.Version) bool {
	if ofVendor(actual) != ofVendor(wanted) {
		actual, wanted = withoutVendor(actual), withoutVendor(wanted)
	}
	if len(actual.Build) == 0 || len(wanted.Build) == 0 {
		return version.Compare(wanted, actual) > 0
	}
	return version.Compare(wanted, actual, version.WithBuildTags()) > 0
}

// ofVendor reports whether the suffix of a version is not one of Kubernetes' own pre-releases.
func ofVendor(v semver.Version) bool {
	return len(v.Pre) > 0 && !slices.ContainsFunc([]string{"alpha", "beta", "rc"}, func(kind string) bool { return strings.HasPrefix(v.Pre[0].VersionStr, kind) })
}

func withoutVendor(v semver.Version) semver.Version {
	if ofVendor(v) {
		v.Pre = nil
	}
	return v
}

// currentVersions returns status.versions or, if the control plane has none, status.version.
func currentVersions(controlPlane *unstructured.Unstructured) ([]string, error) {
	var status struct {
		Status struct {
			Version string `json:"version"`
			// Since Cluster API 1.14.
			Versions []struct {
				Version string `json:"version"`
			} `json:"versions"`
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
