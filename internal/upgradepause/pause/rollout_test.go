package pause

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestWantedBy(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "false": false} {
		if got, err := WantedBy(build.Cluster("ns", "c", build.Annotation(OptionAnnotation, value))); err != nil || got != want {
			t.Errorf("%q: got %t and error %v, want %t", value, got, err, want)
		}
	}
	if got, err := WantedBy(build.Cluster("ns", "c")); err != nil || got {
		t.Errorf("no annotation: got %t and error %v, want false", got, err)
	}
	for _, value := range []string{"", "True", "yes", "1"} {
		if got, err := WantedBy(build.Cluster("ns", "c", build.Annotation(OptionAnnotation, value))); err == nil || got {
			t.Errorf("%q: got %t and error %v, want only an error", value, got, err)
		}
	}
}

// plane returns a control plane of any kind with a wanted version and a status.
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
	const before, patch = "v1.31.3", "v1.31.4"
	both := planeVersions(target)
	both["version"] = old
	for name, tt := range map[string]struct {
		plane    *unstructured.Unstructured
		machines sets.Set[string]
		want     string
	}{
		"there is none":                            {nil, nil, ""},
		"it has no version":                        {plane("", planeVersions(old)), nil, ""},
		"all machines have it":                     {plane(target, planeVersions(target)), nil, ""},
		"none has it":                              {plane(target, planeVersions(old)), nil, target},
		"some have it":                             {plane(target, planeVersions(old, target)), nil, target},
		"status.version, the same":                 {plane(target, map[string]any{"version": target}), nil, ""},
		"status.version, an older one":             {plane(target, map[string]any{"version": old}), nil, target},
		"status.versions go before status.version": {plane(target, both), nil, ""},
		"being created: no status":                 {plane(target, nil), nil, ""},
		"being created: an empty status":           {plane(target, map[string]any{}), nil, ""},
		"being created: no versions":               {plane(target, planeVersions()), nil, ""},
		"being created: an empty version":          {plane(target, map[string]any{"version": ""}), nil, ""},
		"a downgrade is none":                      {plane(old, planeVersions(target)), nil, ""},
		"without the v":                            {plane("1.31.0", planeVersions(target)), nil, ""},
		"without the patch":                        {plane("v1.31", planeVersions("v1.30")), nil, "v1.31"},
		"out of its pre-release":                   {plane(target, planeVersions("v1.31.0-rc.1")), nil, target},
		"a vendor's suffix":                        {plane(target, planeVersions("v1.31.0-eks-1")), nil, ""},
		"the same, older":                          {plane(target, planeVersions("v1.30.9-gke.1")), nil, target},
		"a vendor's suffix is wanted":              {plane("v1.31.0-eks-1", planeVersions(target)), nil, ""},
		"another suffix of the same":               {plane("v1.31.0-gke.200", planeVersions("v1.31.0-gke.100")), nil, "v1.31.0-gke.200"},
		"a suffix in place of a build":             {plane("v1.31.0+k0s.0", map[string]any{"version": "v1.31.0-k0s.0"}), nil, ""},
		"a pre-release of what is wanted":          {plane("v1.31.0-gke.1", planeVersions("v1.31.0-beta.0")), nil, "v1.31.0-gke.1"},
		"a later build":                            {plane("v1.31.0+vmware.2", planeVersions("v1.31.0+vmware.1")), nil, "v1.31.0+vmware.2"},
		"the same build":                           {plane("v1.31.0+vmware.1", planeVersions("v1.31.0+vmware.1")), nil, ""},
		// A managed control plane may report its minor version alone. Then there is no patch level to compare.
		"wants v1.31.4, is 1.31":             {plane("v1.31.4", map[string]any{"version": "1.31"}), nil, ""},
		"wants v1.31.4, is v1.31":            {plane("v1.31.4", map[string]any{"version": "v1.31"}), nil, ""},
		"wants v1.31, is 1.31":               {plane("v1.31", map[string]any{"version": "1.31"}), nil, ""},
		"wants v1.31, is v1.31.4":            {plane("v1.31", map[string]any{"version": "v1.31.4"}), nil, ""},
		"wants v1.31, is v1.31.0-eks-1234":   {plane("v1.31", map[string]any{"version": "v1.31.0-eks-1234"}), nil, ""},
		"wants v1.31.0-rc.1, is 1.31":        {plane("v1.31.0-rc.1", map[string]any{"version": "1.31"}), nil, ""},
		"wants v1.31.4+build, is 1.31":       {plane("v1.31.4+build", map[string]any{"version": "1.31"}), nil, ""},
		"wants v1.31.4, is v1.30":            {plane("v1.31.4", map[string]any{"version": "v1.30"}), nil, "v1.31.4"},
		"wants v1.31, is 1.30":               {plane("v1.31", map[string]any{"version": "1.30"}), nil, "v1.31"},
		"wants v1.31, is v1.30.9":            {plane("v1.31", map[string]any{"version": "v1.30.9"}), nil, "v1.31"},
		"wants v1.31.4, is v1.31.0":          {plane("v1.31.4", map[string]any{"version": "v1.31.0"}), nil, "v1.31.4"},
		"wants v1.31.0, is v1.31.5-eks-1234": {plane("v1.31.0", map[string]any{"version": "v1.31.5-eks-1234"}), nil, ""},
		// If there are Machines, their own versions count, not those of their kubelets.
		"by machines: rolled out, the image has an older kubelet": {plane(patch, planeVersions(before)), sets.New(patch), ""},
		"by machines: begins, the status does not say so yet":     {plane(patch, planeVersions(patch)), sets.New(before), patch},
		"by machines: in the middle":                              {plane(patch, planeVersions(before, patch)), sets.New(before, patch), patch},
		"by machines: the last old one is going":                  {plane(patch, planeVersions(patch)), sets.New(patch, patch, before), patch},
		"by machines: rolled out":                                 {plane(patch, planeVersions(patch)), sets.New(patch), ""},
		"by machines: being created: no status":                   {plane(patch, nil), sets.New(patch), ""},
		"by machines: one is being updated in place":              {plane(patch, planeVersions(patch)), sets.New(patch, before), patch},
		"by machines: a downgrade is none":                        {plane(before, planeVersions(patch)), sets.New(patch), ""},
		"by machines: its machines know of no builds":             {plane("v1.31.4+k0s.0", nil), sets.New("v1.31.4"), ""},
		"by machines: the same, older":                            {plane("v1.31.4+k0s.0", nil), sets.New("v1.31.3"), "v1.31.4+k0s.0"},
		"by machines: they have no version: by the status":        {plane(patch, planeVersions(before)), sets.New[string](), patch},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := controlPlaneTarget(tt.plane, tt.machines); err != nil || got != tt.want {
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
			if got, err := controlPlaneTarget(cp, nil); err == nil || got != "" {
				t.Errorf("got %q and error %v, want only an error", got, err)
			}
		})
	}
	if got, err := controlPlaneTarget(plane(target, planeVersions(target)), sets.New("latest")); err == nil || got != "" {
		t.Errorf("a machine has none: got %q and error %v, want only an error", got, err)
	}
}

// pool is a MachineDeployment with its machines.
type pool struct {
	deployment clusterv1.MachineDeployment
	machines   sets.Set[string]
}

// deployment returns a MachineDeployment with a wanted version, and the versions of its machines.
func deployment(target string, each ...string) pool {
	d := clusterv1.MachineDeployment{}
	d.Name, d.Spec.ClusterName, d.Spec.Template.Spec.Version = "md", build.ClusterName, target
	return pool{d, sets.New(each...)}
}

// named renames the MachineDeployment: names are unique in a Cluster.
func (p pool) named(name string) pool {
	p.deployment.Name = name
	return p
}

// kubelets sets the versions of the kubelets, as in the status.
func (p pool) kubelets(each ...string) pool {
	for _, version := range each {
		p.deployment.Status.Versions = append(p.deployment.Status.Versions, clusterv1.StatusVersion{Version: version, Replicas: 1})
	}
	return p
}

// all returns MachineDeployments, and the machines of each.
func all(pools ...pool) ([]clusterv1.MachineDeployment, InService) {
	var deployments []clusterv1.MachineDeployment
	machines := InService{}
	for _, p := range pools {
		deployments = append(deployments, p.deployment)
		machines[p.deployment.Name] = p.machines
	}
	return deployments, machines
}

func TestWorkersTarget(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	type md = clusterv1.MachineDeployment
	for name, tt := range map[string]struct {
		pool   pool
		change func(*clusterv1.Cluster, *md)
		want   string
	}{
		"all machines have it":          {pool: deployment(target, target)},
		"none has it, it begins":        {pool: deployment(target, old), want: target},
		"some have it":                  {pool: deployment(target, target, old), want: target},
		"a downgrade is rolled out too": {pool: deployment(old, target), want: old},
		"it has no version":             {pool: deployment("", old)},
		"being created, scaled to zero": {pool: deployment(target)},
		"of another Cluster":            {pool: deployment(target, old), change: func(c *clusterv1.Cluster, _ *md) { c.Name = "other" }},
		"it is being deleted":           {pool: deployment(target, old), change: func(_ *clusterv1.Cluster, d *md) { d.DeletionTimestamp = new(metav1.NewTime(noon)) }},
		"it waits for a person to delete machines": {pool: deployment(target, old), change: func(_ *clusterv1.Cluster, d *md) {
			d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
		}},
		"it rolls": {pool: deployment(target, old), change: func(_ *clusterv1.Cluster, d *md) {
			d.Spec.Rollout.Strategy.Type = clusterv1.RollingUpdateMachineDeploymentStrategyType
		}, want: target},
		"a version that begins like another":         {pool: deployment("v1.31.1", "v1.31.10"), want: "v1.31.1"},
		"without the v":                              {pool: deployment("1.31.0", target)},
		"another build":                              {pool: deployment("v1.31.0+vmware.2", "v1.31.0+vmware.1"), want: "v1.31.0+vmware.2"},
		"the build is not there yet":                 {pool: deployment("v1.31.0+vmware.1", target), want: "v1.31.0+vmware.1"},
		"rolled out, the image has an older kubelet": {pool: deployment(target, target).kubelets(old)},
		"rolled out, and has a newer one":            {pool: deployment(old, old).kubelets(target)},
		"the last old one is going, its kubelet too": {pool: deployment(target, target, old).kubelets(target), want: target},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := build.Cluster("ns", build.ClusterName)
			if tt.change != nil {
				tt.change(cluster, &tt.pool.deployment)
			}
			if got := workersTarget(cluster, &tt.pool.deployment, tt.pool.machines); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestInService: which machines count for which rollout.
func TestInService(t *testing.T) {
	const v33, v34 = "v1.33.1", "v1.34.0"
	of := func(version string, opts ...build.MachineOption) *clusterv1.Machine {
		m := build.Machine("ns", "m", opts...)
		m.Spec.Version = version
		return m
	}
	md := build.MachineFunc(func(m *clusterv1.Machine) { build.Label(clusterv1.MachineDeploymentNameLabel, "md")(m) })
	inPlace := func(kubelet string) build.MachineOption {
		return build.MachineFunc(func(m *clusterv1.Machine) {
			build.Annotation(clusterv1.UpdateInProgressAnnotation, "")(m)
			m.Status.NodeInfo = &corev1.NodeSystemInfo{KubeletVersion: kubelet}
		})
	}
	kubelet := build.MachineFunc(func(m *clusterv1.Machine) { m.Status.NodeInfo = &corev1.NodeSystemInfo{KubeletVersion: v33} })
	var machines []clusterv1.Machine
	for _, machine := range []*clusterv1.Machine{
		of(v33, md), of(v33, md, build.Deleting(noon)), of(v34, md), of("", md), of(v34, build.ControlPlane(), inPlace(v33)),
		of(v34, md, kubelet), of(v34, md, inPlace(v34+"+rke2r1")), of(v34, md, inPlace("")), // nothing rolls out another version to these
		of(v33), // nothing would replace this one
	} {
		machines = append(machines, *trimMachine(machine))
	}
	want := InService{"md": sets.New(v33, v34), "": sets.New(v33, v34)}
	if diff := cmp.Diff(want, InServiceOf(machines)); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
	upgrades, err := OfCluster(build.Cluster("ns", build.ClusterName), nil, []clusterv1.MachineDeployment{deployment(v34).deployment}, InServiceOf(machines))
	if err != nil || len(upgrades) != 1 || upgrades[0].ID != "cluster/"+v34 {
		t.Errorf("upgrades are %+v, %v", upgrades, err)
	}
}

func TestRollouts(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	cluster := build.Cluster("ns", build.ClusterName)
	upgrade := func(to string) Upgrade {
		return Upgrade{ID: "cluster/" + to, Text: "Cluster cluster upgrades to " + to}
	}
	for name, tt := range map[string]struct {
		plane *unstructured.Unstructured
		pools []pool
		want  []Upgrade
		err   string
	}{
		"nothing there":           {},
		"nothing rolls":           {plane: plane(target, planeVersions(target)), pools: []pool{deployment(target, target)}},
		"the control plane rolls": {plane: plane(target, planeVersions(old)), want: []Upgrade{upgrade(target)}},
		"workers roll":            {plane: plane(target, planeVersions(target)), pools: []pool{deployment(target, old)}, want: []Upgrade{upgrade(target)}},
		"both, it is one upgrade": {plane: plane(target, planeVersions(old)), pools: []pool{deployment(target, old), deployment(target, old).named("b")}, want: []Upgrade{upgrade(target)}},
		"each version is one, in order": {
			plane: plane(target, planeVersions(old)), pools: []pool{deployment("v1.30.10", old), deployment(target, old).named("b"), deployment(old, "v1.29.0").named("c")},
			want: []Upgrade{upgrade("v1.30.10"), upgrade(old), upgrade(target)},
		},
		"the control plane cannot be read, the rest can": {
			plane: plane("latest", planeVersions(old)), pools: []pool{deployment(target, old)},
			want: []Upgrade{upgrade(target)}, err: "AnyControlPlane cp",
		},
	} {
		t.Run(name, func(t *testing.T) {
			deployments, machines := all(tt.pools...)
			got, err := OfCluster(cluster, tt.plane, deployments, machines)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("upgrades (-want +got):\n%s", diff)
			}
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}
