package pause

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

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

// TestOverrideOutlivesAPausedRollout: a person pauses what rolls out the version, and lets it go on later. It is still the same
// upgrade.
func TestOverrideOutlivesAPausedRollout(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	for name, hold := range held {
		t.Run(name, func(t *testing.T) {
			cluster, cp := build.Cluster("ns", build.ClusterName), plane(target, planeVersions(target))
			mds, machines := all(deployment(target, target, old))
			if name == "control plane" {
				cp = plane(target, planeVersions(old))
				mds, machines = all(deployment(target, target))
			}
			at := func(paused bool) []Upgrade {
				hold(cluster, cp, &mds[0], paused)
				kept, _ := Trim(cp.DeepCopy())
				upgrades, err := ofCluster(cluster, kept.(*unstructured.Unstructured), mds, machines)
				if err != nil {
					t.Fatal(err)
				}
				return upgrades
			}
			outlives(t, at(false), at(true))
			_, d := lookAt(ours("cluster/"+target, noon), at(true), Settle{}, one)
			if d.Transition != End {
				t.Errorf("it stays paused for what does not go on: %+v", d)
			}
		})
	}
}

// outlives makes a person lift the pause for an upgrade, which then halts for a while.
func outlives(t *testing.T, goes, stands []Upgrade) {
	t.Helper()
	has, d := lookAt(stored{}, goes, Settle{}, noon)
	if d.Transition != Begin {
		t.Fatalf("not paused: %+v", d)
	}
	has = has.But(keyPaused) // a person
	if has, d = lookAt(has, goes, Settle{}, noon.Add(time.Minute)); d.Transition != Overridden {
		t.Fatalf("not overridden: %+v", d)
	}
	has, _ = lookAt(has, stands, Settle{}, noon.Add(2*time.Minute))
	if has, d = lookAt(has, goes, Settle{}, noon.Add(3*time.Minute)); d.Paused {
		t.Errorf("the person is overruled in the same upgrade: %v", has)
	}
}

// TestOverrideOutlivesADeferral: the same with a topology, whose workers are deferred, or whose Cluster is paused.
func TestOverrideOutlivesADeferral(t *testing.T) {
	const old, target = "v1.31.0", "v1.32.0"
	mds, machines := all(owned(old, old))
	at := func(reason string) []Upgrade {
		upgrades, err := ofCluster(withTopology(metav1.ConditionFalse, reason), plane(target, planeVersions(target)), mds, machines)
		if err != nil {
			t.Fatal(err)
		}
		return upgrades
	}
	for _, reason := range []string{
		clusterv1.ClusterTopologyReconciledMachineDeploymentsUpgradeDeferredReason,
		clusterv1.ClusterTopologyReconciledMachinePoolsUpgradeDeferredReason, clusterv1.ClusterTopologyReconcilePausedReason,
	} {
		t.Run(reason, func(t *testing.T) {
			outlives(t, at(clusterv1.ClusterTopologyReconciledClusterUpgradingReason), at(reason))
		})
	}
}

// TestOneOfTwoIsPaused: an upgrade goes on while one of its parts does.
func TestOneOfTwoIsPaused(t *testing.T) {
	const old, target = "v1.30.9", "v1.31.0"
	cluster := build.Cluster("ns", build.ClusterName)
	mds, machines := all(deployment(target, old), deployment(target, old).named("b"))
	for i := range mds {
		mds[i].Spec.Paused = new(true)
		upgrades, err := ofCluster(cluster, nil, mds, machines)
		if err != nil || len(upgrades) != 1 || upgrades[0].Halted != (i > 0) {
			t.Errorf("%d of 2 are paused: %+v, %v", i+1, upgrades, err)
		}
	}
}

// TestOverrideWhileSettlingBeforeAPool: ClusterVersion is Completed, and a person lifts the pause while it settles. Then the
// workers' pool, which was paused meanwhile, continues. It is part of the same upgrade, but no longer once the next upgrade has
// begun.
func TestOverrideWhileSettlingBeforeAPool(t *testing.T) {
	cv, stands, goes := upgrading("clusterversion/x"), poolUpdate(t, corev1.ConditionFalse), poolUpdate(t, corev1.ConditionTrue)
	away := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	has, _ := lookAt(stored{}, append(cv, stands...), Settle{Within: settleWithin}, noon)
	has, d := lookAt(has, stands, away, one)
	if d.Transition != Settling {
		t.Fatalf("it does not settle: %+v", d)
	}
	has = has.But(keyPaused)
	has, _ = lookAt(has, stands, away, one.Add(time.Minute))
	if after, d := lookAt(has, goes, away, one.Add(2*time.Minute)); d.Paused {
		t.Errorf("the person is overruled for a part of the same upgrade: %v", after)
	}
	if after, d := lookAt(has, append(upgrading("clusterversion/y"), stands...), away, one.Add(2*time.Minute)); !d.Paused {
		t.Errorf("not paused for the next upgrade, as a pool has halted: %v", after)
	}
}

func poolUpdate(t *testing.T, updating corev1.ConditionStatus) []Upgrade {
	t.Helper()
	upgrades, err := ofPool(workers(3, 1, updating), "")
	if err != nil {
		t.Fatal(err)
	}
	return upgrades
}

// TestHaltedIsSaid: messages do not call a halted upgrade over.
func TestHaltedIsSaid(t *testing.T) {
	f := Facts{Annotations: ours("A", noon), Upgrades: halted(upgrading("A")), Settle: Settle{Within: settleWithin}, WarnAfter: warnAfter}
	for want, away := range map[string][]string{
		"Resumed: the upgrade has halted, and all Nodes are Ready":                                                            nil,
		"The upgrade has halted. Stays paused until all Nodes are Ready, for at most 15m0s; without a Node that is Ready: m1": {"m1"},
	} {
		f.Settle.NotReady = away
		if got := Message(f, Decide(f, one), one); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
