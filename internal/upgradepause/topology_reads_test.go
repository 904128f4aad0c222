package upgradepause

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// oneCluster is a cache with only one Cluster.
type oneCluster struct {
	client.Reader
	cluster *clusterv1.Cluster
}

func (c oneCluster) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	c.cluster.DeepCopyInto(obj.(*clusterv1.Cluster))
	return nil
}

func (oneCluster) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// TestTopologyNeedsNoMachines: the Cluster alone reports that a topology upgrades, even if Machines may not be read.
func TestTopologyNeedsNoMachines(t *testing.T) {
	cluster := build.Cluster("ns", build.ClusterName)
	cluster.Status.Conditions = []metav1.Condition{{
		Type: clusterv1.ClusterTopologyReconciledCondition, Status: metav1.ConditionFalse, Reason: clusterv1.ClusterTopologyReconciledClusterUpgradingReason,
	}}
	build.Annotation(pause.OptionAnnotation, "true")(cluster)
	cluster.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{}
	cache := oneCluster{cluster: cluster}
	s := clusterAPI{reader: cache, rollouts: cache, open: func(_ context.Context, obj client.Object) error {
		if _, ok := obj.(*clusterv1.Machine); ok {
			return errors.New("may not be listed")
		}
		return nil
	}}
	check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "mhc", Labels: map[string]string{clusterv1.ClusterNameLabel: build.ClusterName},
	}}
	var f pause.Facts
	for _, reading := range s.Read(t.Context(), check) {
		f.Add(reading)
	}
	if len(f.Upgrades) == 0 {
		t.Errorf("the Cluster says ClusterUpgrading, and nothing is paused: %+v", f)
	}
}
