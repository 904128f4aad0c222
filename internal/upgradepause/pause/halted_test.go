package pause

import (
	"testing"

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
				upgrades, err := ofCluster(cluster, Trim(cp).(*unstructured.Unstructured), mds, machines)
				if err != nil || len(upgrades) != 1 || upgrades[0].Halted != paused || upgrades[0].ID != "cluster/"+target {
					t.Errorf("paused %t: %+v, %v", paused, upgrades, err)
				}
			}
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
