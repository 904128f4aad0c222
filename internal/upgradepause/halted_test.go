package upgradepause

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// held is how a person holds up an upgrade of a Cluster, and lets it go on.
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

// TestOverrideOutlivesAPausedRollout: a person pauses what rolls out the version, in the midst of that, and lets it go on. It is the
// same upgrade.
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
				kept, err := reduce(cp.DeepCopy())
				if err != nil {
					t.Fatal(err)
				}
				upgrades, err := ofCluster(cluster, kept.(*unstructured.Unstructured), mds, machines)
				if err != nil {
					t.Fatal(err)
				}
				return upgrades
			}
			outlives(t, at(false), at(true))
			_, d := lookAt(ours("cluster/"+target, noon), at(true), Settle{}, one)
			if d.Transition != Resume {
				t.Errorf("it stays paused for what does not go on: %+v", d)
			}
		})
	}
}

// outlives has a person lift the pause for an upgrade, which then halts for a while.
func outlives(t *testing.T, goes, stands []Upgrade) {
	t.Helper()
	has, d := lookAt(stored{}, goes, Settle{}, noon)
	if d.Transition != Pause {
		t.Fatalf("not paused: %+v", d)
	}
	has = has.but(keyPaused) // a person
	if has, d = lookAt(has, goes, Settle{}, noon.Add(time.Minute)); d.Transition != Overridden {
		t.Fatalf("not overridden: %+v", d)
	}
	has, _ = lookAt(has, stands, Settle{}, noon.Add(2*time.Minute))
	if has, d = lookAt(has, goes, Settle{}, noon.Add(3*time.Minute)); d.Paused {
		t.Errorf("the person is overruled in the same upgrade: %v", has)
	}
}

// TestOverrideOutlivesADeferral: the same with a topology, whose workers are put off, or whose Cluster is paused.
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

// TestOneOfTwoIsPaused: an upgrade goes on as long as one of its parts does.
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

// TestOverrideWhileSettlingBeforeAPool: ClusterVersion is Completed, a person lifts the pause while it settles, and lets the workers
// go on, whose pool was paused all the while. They are a part of the same upgrade, but no longer when the next one has begun.
func TestOverrideWhileSettlingBeforeAPool(t *testing.T) {
	cv, stands, goes := upgrading("clusterversion/x"), poolUpdate(t, corev1.ConditionFalse), poolUpdate(t, corev1.ConditionTrue)
	away := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	has, _ := lookAt(stored{}, append(cv, stands...), Settle{Within: settleWithin}, noon)
	has, d := lookAt(has, stands, away, one)
	if d.Transition != StaySettling {
		t.Fatalf("it does not settle: %+v", d)
	}
	has = has.but(keyPaused)
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

// someNodes are those of the machines of each MachineHealthCheck.
type someNodes []*corev1.Node

func (s someNodes) Nodes(context.Context, *metav1.PartialObjectMetadata) ([]*corev1.Node, error) {
	return s, nil
}

// TestOverrideOutlivesTheMachine: a person lifts the pause so that the one machine of a MachineHealthCheck is replaced. While it is,
// there is no Node of it in the pool, or none at all that is behind. The pool goes on updating afterwards.
func TestOverrideOutlivesTheMachine(t *testing.T) {
	worker := someNodes{{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{workerRole: ""}}}}
	at := func(has stored, nodes someNodes, pool *mcfgv1.MachineConfigPool) (stored, Decision) {
		check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: has}}
		f := Facts{Annotations: has, WarnAfter: warnAfter}
		f.add(machineConfigPools{nodes: nodes}.read(t.Context(), check, pool, []mcfgv1.MachineConfigPool{*pool}))
		d := Decide(f, one)
		return has.after(d), d
	}
	pool := workers(3, 2, corev1.ConditionTrue)
	for name, gap := range map[string]struct {
		nodes someNodes
		pool  *mcfgv1.MachineConfigPool
	}{
		"no Node of it in the pool":    {nil, pool},
		"no Node that is behind":       {worker, workers(2, 2, corev1.ConditionTrue)},
		"neither":                      {nil, workers(2, 2, corev1.ConditionTrue)},
		"its Node is in no pool now":   {someNodes{{}}, pool},
		"Updating is False meanwhile":  {worker, workers(2, 2, corev1.ConditionFalse)},
		"it has other Nodes meanwhile": {someNodes{{}, {}}, pool},
	} {
		t.Run(name, func(t *testing.T) {
			has, d := at(stored{}, worker, pool)
			if d.Transition != Pause {
				t.Fatalf("not paused: %+v", d)
			}
			has, d = at(has.but(keyPaused), worker, pool)
			if d.Transition != Overridden {
				t.Fatalf("not overridden: %+v", d)
			}
			has, _ = at(has, gap.nodes, gap.pool)
			if has, d = at(has, worker, pool); d.Paused {
				t.Errorf("the person is overruled in the same update of the pool: %v", has)
			}
		})
	}
}

// TestElsewhereIsNotNoted: a pool that does not concern a MachineHealthCheck is not noted on it.
func TestElsewhereIsNotNoted(t *testing.T) {
	pool := workers(3, 1, corev1.ConditionFalse)
	f := Facts{Annotations: ours("clusterversion/x", noon), Upgrades: upgrading("clusterversion/x"), WarnAfter: warnAfter}
	f.add(machineConfigPools{nodes: someNodes{}}.read(t.Context(), &metav1.PartialObjectMetadata{}, pool, []mcfgv1.MachineConfigPool{*pool}))
	if d := Decide(f, one); len(d.Changes) > 0 {
		t.Errorf("written: %v", d.Changes)
	}
}

// TestHaltedIsSaid: what does not go on is not told as over.
func TestHaltedIsSaid(t *testing.T) {
	f := Facts{Annotations: ours("A", noon), Upgrades: halted(upgrading("A")), Settle: Settle{Within: settleWithin}, WarnAfter: warnAfter}
	for want, away := range map[string][]string{
		"Resumed: the upgrade has halted, and all Nodes are Ready":                                                       nil,
		"The upgrade has halted. Stays paused until all Nodes are Ready, or for 15m0s; without a Node that is Ready: m1": {"m1"},
	} {
		f.Settle.NotReady = away
		if _, _, got := eventFor(OpenShiftKind, f, Decide(f, one), one); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
