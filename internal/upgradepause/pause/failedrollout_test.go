package pause

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// TestFailedWhileMachinesRoll: docs/upgrades.md: an upgrade is in progress while the control plane has a Machine that is older than
// it, also if the topology reports a failure.
func TestFailedWhileMachinesRoll(t *testing.T) {
	failed := withTopology(metav1.ConditionFalse, clusterv1.ClusterTopologyReconciledFailedReason)
	for name, tt := range map[string]struct {
		plane string
		pool  pool
	}{
		"the control plane rolls, the workers are behind":   {"v1.32.0", owned("v1.31.0", "v1.31.0")},
		"the control plane is on its way through a version": {"v1.31.0", owned("v1.30.9", "v1.30.9")},
	} {
		deployments, machines := all(tt.pool)
		machines[controlPlaneMachines] = &fleetState{versions: map[string]int{"v1.30.9": 2, tt.plane: 1}}
		got, err := ofCluster(failed, plane(tt.plane, planeVersions("v1.30.9", tt.plane)), deployments, machines)
		if !Going(got) {
			t.Errorf("%s: upgrades %v, error %v: no upgrade goes on", name, got, err)
		}
		f := Facts{}
		f.Add(Reading{IDs: ClusterIDs, Upgrades: got, Err: err})
		if d := Decide(f, noon); d.Transition != Begin {
			t.Errorf("%s: a MachineHealthCheck is not paused while its control plane is rolled out: %+v", name, d)
		}
	}
}
