package upgradepause

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// machinesByCluster indexes Machines by their Cluster.
const machinesByCluster = "sickbay.upgrade.cluster"

func clusterOfMachine(obj client.Object) []string {
	return []string{obj.(*clusterv1.Machine).Spec.ClusterName}
}

// machinesOf returns the Machines of a Cluster. They share their parts with the cache.
func machinesOf(ctx context.Context, reader client.Reader, cluster client.ObjectKey) ([]clusterv1.Machine, error) {
	var list clusterv1.MachineList
	err := reader.List(ctx, &list, client.InNamespace(cluster.Namespace),
		client.MatchingFields{machinesByCluster: cluster.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines of Cluster %s: %w", cluster.Name, err)
	}
	return list.Items, nil
}

// clusterMachines is the Readiness of Cluster API's Machines, which report whether their Node is Ready.
type clusterMachines struct {
	// live reads past the cache.
	live, reader client.Reader
	open         opener
}

// NotReady implements Readiness.
func (m clusterMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	cluster, ok := clusterOf(check)
	if !ok {
		return nil, fmt.Errorf("it has no label %s", clusterv1.ClusterNameLabel)
	}
	selector, err := selectorOf(ctx, m.live, check)
	if err != nil {
		return nil, err
	}
	if err := m.open(ctx, &clusterv1.Machine{}); err != nil {
		return nil, err
	}
	machines, err := machinesOf(ctx, m.reader, cluster)
	if err != nil {
		return nil, err
	}
	return pause.NotReady(machines, selector), nil
}
