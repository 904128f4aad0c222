package fleet

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// awaitPeriod is how often to check the connections to workload clusters while they come up.
const awaitPeriod = 50 * time.Millisecond

// Await waits until the Nodes of all clusters can be read, or until ctx ends. Clusters that cannot be read by then count
// as unreadable.
func (o *Observer) Await(ctx context.Context, namespace string) error {
	var list clusterv1.MachineList
	if err := o.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	nodes := map[client.ObjectKey]string{}
	for i := range list.Items {
		if machine := &list.Items[i]; machine.Status.NodeRef.IsDefined() {
			nodes[mhcspec.ClusterOf(machine)] = machine.Status.NodeRef.Name
		}
	}
	_ = wait.PollUntilContextCancel(ctx, awaitPeriod, true, func(ctx context.Context) (bool, error) {
		for cluster, node := range nodes {
			_, err := o.Health.Nodes.Get(ctx, cluster, node)
			if _, unreadable := workload.Unreadable(err); !unreadable {
				delete(nodes, cluster)
			}
		}
		return len(nodes) == 0, nil
	})
	return nil
}
