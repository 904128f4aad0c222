package pause

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// withTopology returns a Cluster with the wanted version v1.32.0 and a condition of Cluster API.
func withTopology(status metav1.ConditionStatus, reason string) *clusterv1.Cluster {
	cluster := build.Cluster("ns", build.ClusterName, build.Condition(clusterv1.ClusterTopologyReconciledCondition, status, reason, noon))
	cluster.Spec.Topology.Version = "v1.32.0"
	return cluster
}

func pausedCluster(cluster *clusterv1.Cluster) *clusterv1.Cluster {
	cluster.Spec.Paused = new(true)
	return cluster
}

// owned returns a MachineDeployment of a topology.
func owned(target string, versions ...string) pool {
	p := deployment(target, versions...)
	build.Label(clusterv1.ClusterTopologyOwnedLabel, "")(&p.deployment)
	return p
}

func TestTopologyUpgrades(t *testing.T) {
	const old, between, target = "v1.30.9", "v1.31.0", "v1.32.0"
	const no, upgrades = metav1.ConditionFalse, clusterv1.ClusterTopologyReconciledClusterUpgradingReason
	const failed, paused = clusterv1.ClusterTopologyReconciledFailedReason, clusterv1.ClusterTopologyReconcilePausedReason
	const classNotReady = clusterv1.ClusterTopologyReconciledClusterClassNotReconciledReason
	const deferred = clusterv1.ClusterTopologyReconciledMachineDeploymentsUpgradeDeferredReason
	md := func(p ...pool) []pool { return p }
	rolling := func(to string) []Upgrade {
		return []Upgrade{{ID: "cluster/" + to, Text: "Cluster cluster upgrades to " + to}}
	}
	whole := rolling(target)
	stands := halted(slices.Clone(whole))
	for name, tt := range map[string]struct {
		cluster *clusterv1.Cluster
		plane   *unstructured.Unstructured
		pools   []pool
		want    []Upgrade
	}{
		"the control plane is first":                       {withTopology(no, upgrades), plane(target, planeVersions(old)), md(owned(old, old)), whole},
		"between control plane and workers, nothing rolls": {withTopology(no, upgrades), plane(target, planeVersions(target)), md(owned(old, old)), whole},
		"through a version between, it is one upgrade":     {withTopology(no, upgrades), plane(between, planeVersions(old)), md(owned(old, old)), whole},
		"through":                                        {withTopology(metav1.ConditionTrue, "ReconcileSucceeded"), plane(target, planeVersions(target)), md(owned(target, target)), nil},
		"through, by the last condition":                 {withTopology(metav1.ConditionTrue, upgrades), plane(target, planeVersions(target)), nil, nil},
		"no topology, a rollout":                         {build.Cluster("ns", build.ClusterName), plane(between, planeVersions(old)), nil, rolling(between)},
		"a person has put it off":                        {withTopology(no, deferred), plane(target, planeVersions(target)), md(owned(old, old)), stands},
		"put off, but something rolls":                   {withTopology(no, deferred), plane(target, planeVersions(target)), md(owned(old, old), owned(target, old).named("b")), rolling(target)},
		"failed, control plane behind":                   {withTopology(no, failed), plane(old, planeVersions(old)), nil, whole},
		"failed, workers behind":                         {withTopology(no, failed), plane(target, planeVersions(target)), md(owned(old, old)), whole},
		"failed between two versions":                    {withTopology(no, failed), plane(between, planeVersions(old)), nil, whole},
		"failed, the last part rolls":                    {withTopology(no, failed), plane(target, planeVersions(target)), md(owned(target, old)), rolling(target)},
		"failed, no upgrade":                             {withTopology(no, failed), plane(target, planeVersions(target)), md(owned(target, target)), nil},
		"failed, workers of another way":                 {withTopology(no, failed), plane(target, planeVersions(target)), md(deployment(old, old)), nil},
		"failed, no control plane":                       {withTopology(no, failed), nil, nil, nil},
		"class not ready, workers behind":                {withTopology(no, classNotReady), plane(target, planeVersions(target)), md(owned(old, old)), whole},
		"paused, workers behind":                         {withTopology(no, paused), plane(target, planeVersions(target)), md(owned(old, old)), stands},
		"paused just now":                                {pausedCluster(withTopology(no, upgrades)), plane(target, planeVersions(target)), md(owned(old, old)), stands},
		"before 1.12, its control plane waits":           {withTopology(no, "ControlPlaneUpgradePending"), plane(old, planeVersions(old)), md(owned(old, old)), whole},
		"before 1.12, between control plane and workers": {withTopology(no, "MachineDeploymentsUpgradePending"), plane(target, planeVersions(target)), md(owned(old, old)), whole},
		"before 1.12, its MachinePools wait":             {withTopology(no, "MachinePoolsUpgradePending"), plane(target, planeVersions(target)), md(owned(target, target)), whole},
		"before 1.12, a hook holds up the workers":       {withTopology(no, "LifecycleHookBlocking"), plane(target, planeVersions(target)), md(owned(old, old)), whole},
		"before 1.12, a hook holds up something else":    {withTopology(no, "LifecycleHookBlocking"), plane(target, planeVersions(target)), md(owned(target, target)), nil},
		"before 1.12, being created":                     {withTopology(no, "LifecycleHookBlocking"), nil, nil, nil},
		"before 1.12, another MachineDeployment is put off while one rolls": {
			withTopology(no, deferred), plane(target, planeVersions(target)), md(owned(old, old), owned(target, old).named("b")), rolling(target),
		},
		"paused, no upgrade":               {withTopology(no, paused), plane(target, planeVersions(target)), md(owned(target, target)), nil},
		"being created":                    {withTopology(no, "ClusterCreating"), nil, nil, nil},
		"being deleted":                    {withTopology(no, "Deleting"), plane(target, planeVersions(target)), nil, nil},
		"failed before, unknown if it did": {withTopology(metav1.ConditionUnknown, failed), plane(target, planeVersions(target)), md(owned(old, old)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			deployments, machines := all(tt.pools...)
			got, err := OfCluster(tt.cluster, tt.plane, deployments, machines)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("error %v, upgrades (-want +got):\n%s", err, diff)
			}
		})
	}
}

// held are the ways in which a person halts an upgrade of a Cluster, and lets it continue.
var held = map[string]func(c *clusterv1.Cluster, cp *unstructured.Unstructured, d *clusterv1.MachineDeployment, yes bool){
	"MachineDeployment": func(_ *clusterv1.Cluster, _ *unstructured.Unstructured, d *clusterv1.MachineDeployment, yes bool) {
		d.Spec.Paused = new(yes)
	},
	"MachineDeployment, by annotation": func(_ *clusterv1.Cluster, _ *unstructured.Unstructured, d *clusterv1.MachineDeployment, yes bool) {
		d.Annotations = pausedIf(yes)
	},
	"Cluster": func(c *clusterv1.Cluster, _ *unstructured.Unstructured, _ *clusterv1.MachineDeployment, yes bool) {
		c.Spec.Paused = new(yes)
	},
	"control plane": func(_ *clusterv1.Cluster, cp *unstructured.Unstructured, _ *clusterv1.MachineDeployment, yes bool) {
		cp.SetAnnotations(pausedIf(yes))
	},
}

func pausedIf(yes bool) map[string]string {
	if yes {
		return map[string]string{clusterv1.PausedAnnotation: ""}
	}
	return nil
}

// TestPausedRollout: a rollout that a person has paused is the same upgrade, and has halted.
func TestPausedRollout(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	for name, hold := range held {
		t.Run(name, func(t *testing.T) {
			cluster, cp := build.Cluster("ns", build.ClusterName), plane(target, planeVersions(target))
			mds, machines := all(deployment(target, target, old))
			if name == "control plane" {
				cp = plane(target, planeVersions(old))
				mds, machines = all(deployment(target, target))
			}
			for _, paused := range []bool{false, true} {
				hold(cluster, cp, &mds[0], paused)
				upgrades, err := OfCluster(cluster, Trim(cp).(*unstructured.Unstructured), mds, machines)
				if err != nil || len(upgrades) != 1 || upgrades[0].Halted != paused || upgrades[0].ID != "cluster/"+target {
					t.Errorf("paused %t: %+v, %v", paused, upgrades, err)
				}
			}
		})
	}
}
