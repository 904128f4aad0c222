package upgradepause

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestWantsPauses(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "false": false} {
		if got, err := wantsPauses(build.Cluster("ns", "c", build.Annotation(OptionAnnotation, value))); err != nil || got != want {
			t.Errorf("%q: got %t and error %v, want %t", value, got, err, want)
		}
	}
	if got, err := wantsPauses(build.Cluster("ns", "c")); err != nil || got {
		t.Errorf("no annotation: got %t and error %v, want false", got, err)
	}
	for _, value := range []string{"", "True", "yes", "1"} {
		if got, err := wantsPauses(build.Cluster("ns", "c", build.Annotation(OptionAnnotation, value))); err == nil || got {
			t.Errorf("%q: got %t and error %v, want only an error", value, got, err)
		}
	}
}

// plane is a control plane of any kind that is to have a version, and has some.
func plane(target string, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"kind": "AnyControlPlane", "metadata": map[string]any{"name": "cp"}, "spec": map[string]any{"version": target}, "status": status,
	}}
}

func planeVersions(versions ...string) map[string]any {
	var all []any
	for _, v := range versions {
		all = append(all, map[string]any{"version": v, "replicas": int64(1)})
	}
	return map[string]any{"versions": all}
}

func TestControlPlaneTarget(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	both := planeVersions(target)
	both["version"] = old
	for name, tt := range map[string]struct {
		plane *unstructured.Unstructured
		want  string
	}{
		"there is none":                            {nil, ""},
		"it has no version":                        {plane("", planeVersions(old)), ""},
		"all machines have it":                     {plane(target, planeVersions(target)), ""},
		"none has it":                              {plane(target, planeVersions(old)), target},
		"some have it":                             {plane(target, planeVersions(old, target)), target},
		"status.version, the same":                 {plane(target, map[string]any{"version": target}), ""},
		"status.version, an older one":             {plane(target, map[string]any{"version": old}), target},
		"status.versions go before status.version": {plane(target, both), ""},
		"being created: no status":                 {plane(target, nil), ""},
		"being created: an empty status":           {plane(target, map[string]any{}), ""},
		"being created: no versions":               {plane(target, planeVersions()), ""},
		"being created: an empty version":          {plane(target, map[string]any{"version": ""}), ""},
		"a downgrade is none":                      {plane(old, planeVersions(target)), ""},
		"without the v":                            {plane("1.31.0", planeVersions(target)), ""},
		"without the patch":                        {plane("v1.31", planeVersions("v1.30")), "v1.31"},
		"out of its pre-release":                   {plane(target, planeVersions("v1.31.0-rc.1")), target},
		"a later build":                            {plane("v1.31.0+vmware.2", planeVersions("v1.31.0+vmware.1")), "v1.31.0+vmware.2"},
		"the same build":                           {plane("v1.31.0+vmware.1", planeVersions("v1.31.0+vmware.1")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := controlPlaneTarget(tt.plane); err != nil || got != tt.want {
				t.Errorf("got %q and error %v, want %q", got, err, tt.want)
			}
		})
	}
	for name, cp := range map[string]*unstructured.Unstructured{
		"no version at all":        plane("latest", planeVersions(old)),
		"a machine has none":       plane(target, planeVersions("latest")),
		"status.version is none":   plane(target, map[string]any{"version": "latest"}),
		"the status is odd":        plane(target, map[string]any{"versions": "v1.30.9"}),
		"the spec is odd":          {Object: map[string]any{"spec": map[string]any{"version": int64(1)}}},
		"status.version is a list": plane(target, map[string]any{"version": []any{old}}),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := controlPlaneTarget(cp); err == nil || got != "" {
				t.Errorf("got %q and error %v, want only an error", got, err)
			}
		})
	}
}

// deployment is to have a version, and has some.
func deployment(target string, versions ...string) clusterv1.MachineDeployment {
	d := clusterv1.MachineDeployment{}
	d.Name, d.Spec.ClusterName, d.Spec.Template.Spec.Version = "md", build.ClusterName, target
	d.Status.Replicas = new(int32(len(versions)))
	for _, v := range versions {
		d.Status.Versions = append(d.Status.Versions, clusterv1.StatusVersion{Version: v, Replicas: 1})
	}
	return d
}

func TestWorkersTarget(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	for name, tt := range map[string]struct {
		deployment clusterv1.MachineDeployment
		change     func(*clusterv1.Cluster, *clusterv1.MachineDeployment)
		want       string
	}{
		"all machines have it":          {deployment: deployment(target, target)},
		"none has it":                   {deployment: deployment(target, old), want: target},
		"some have it":                  {deployment: deployment(target, target, old), want: target},
		"a downgrade is rolled out too": {deployment: deployment(old, target), want: old},
		"it has no version":             {deployment: deployment("", old)},
		"being created":                 {deployment: deployment(target), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) { d.Status.Replicas = nil }},
		"scaled to zero":                {deployment: deployment(target)},
		"of another Cluster":            {deployment: deployment(target, old), change: func(c *clusterv1.Cluster, _ *clusterv1.MachineDeployment) { c.Name = "other" }},
		"its Cluster is paused":         {deployment: deployment(target, old), change: func(c *clusterv1.Cluster, _ *clusterv1.MachineDeployment) { c.Spec.Paused = new(true) }},
		"it is paused":                  {deployment: deployment(target, old), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) { d.Spec.Paused = new(true) }},
		"it is not paused":              {deployment: deployment(target, old), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) { d.Spec.Paused = new(false) }, want: target},
		"it is paused by annotation": {deployment: deployment(target, old), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) {
			build.Annotation(clusterv1.PausedAnnotation, "")(d)
		}},
		"it waits for a person to delete machines": {deployment: deployment(target, old), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) {
			d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
		}},
		"it rolls": {deployment: deployment(target, old), change: func(_ *clusterv1.Cluster, d *clusterv1.MachineDeployment) {
			d.Spec.Rollout.Strategy.Type = clusterv1.RollingUpdateMachineDeploymentStrategyType
		}, want: target},
		"kubelets of a distribution":            {deployment: deployment(target, "v1.31.0-eks-a737599", "v1.31.0+rke2r1")},
		"its pre-release counts as it, a limit": {deployment: deployment(target, "v1.31.0-rc.1")},
		"kubelets of a distribution, older":     {deployment: deployment("v1.31.10", "v1.31.1-eks-a737599"), want: "v1.31.10"},
		"a version that begins like another":    {deployment: deployment("v1.31.1", "v1.31.10"), want: "v1.31.1"},
		"without the v":                         {deployment: deployment("1.31.0", target)},
		"another build":                         {deployment: deployment("v1.31.0+vmware.2", "v1.31.0+vmware.1"), want: "v1.31.0+vmware.2"},
		"the build is not there yet":            {deployment: deployment("v1.31.0+vmware.1", target), want: "v1.31.0+vmware.1"},
		"nobody is asked what is not rolling":   {deployment: unreported(target), change: func(c *clusterv1.Cluster, _ *clusterv1.MachineDeployment) { c.Name = "other" }},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := build.Cluster("ns", build.ClusterName)
			if tt.change != nil {
				tt.change(cluster, &tt.deployment)
			}
			if got, err := workersTarget(cluster, &tt.deployment); err != nil || got != tt.want {
				t.Errorf("got %q and error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// unreported is what it looks like before Cluster API 1.14: there are machines, but of which version?
func unreported(target string) clusterv1.MachineDeployment {
	d := deployment(target)
	d.Status.Replicas = new(int32(3))
	return d
}

func TestRollouts(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	cluster := build.Cluster("ns", build.ClusterName)
	upgrade := func(to string) Upgrade {
		return Upgrade{ID: "cluster/" + to, Text: "Cluster cluster upgrades to " + to}
	}
	for name, tt := range map[string]struct {
		plane       *unstructured.Unstructured
		deployments []clusterv1.MachineDeployment
		want        []Upgrade
		err         string
	}{
		"nothing there":           {},
		"nothing rolls":           {plane: plane(target, planeVersions(target)), deployments: []clusterv1.MachineDeployment{deployment(target, target)}},
		"the control plane rolls": {plane: plane(target, planeVersions(old)), want: []Upgrade{upgrade(target)}},
		"workers roll":            {plane: plane(target, planeVersions(target)), deployments: []clusterv1.MachineDeployment{deployment(target, old)}, want: []Upgrade{upgrade(target)}},
		"both, it is one upgrade": {plane: plane(target, planeVersions(old)), deployments: []clusterv1.MachineDeployment{deployment(target, old), deployment(target, old)}, want: []Upgrade{upgrade(target)}},
		"each version is one, in order": {
			plane: plane(target, planeVersions(old)), deployments: []clusterv1.MachineDeployment{deployment("v1.30.10", old), deployment(target, old), deployment(old, "v1.29.0")},
			want: []Upgrade{upgrade("v1.30.10"), upgrade(old), upgrade(target)},
		},
		"the control plane cannot be read, the rest can": {
			plane: plane("latest", planeVersions(old)), deployments: []clusterv1.MachineDeployment{deployment(target, old)},
			want: []Upgrade{upgrade(target)}, err: "AnyControlPlane cp",
		},
		"workers do not say": {deployments: []clusterv1.MachineDeployment{unreported(target)}, err: "MachineDeployment md does not say"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ofCluster(cluster, tt.plane, tt.deployments)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("upgrades (-want +got):\n%s", diff)
			}
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}
