package upgradepause

import (
	"context"
	"fmt"
	"sync"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// machinesByCluster indexes Machines by their Cluster.
const machinesByCluster = "sickbay.upgrade.cluster"

func clusterOfMachine(obj client.Object) []string {
	return []string{obj.(*clusterv1.Machine).Spec.ClusterName}
}

// censuses counts the Machines of each Cluster once after a change, not once for each MachineHealthCheck. It is safe for concurrent
// use; a nil one counts each time.
type censuses struct {
	mu sync.Mutex
	by map[client.ObjectKey]*count
}

// count is made once. Other callers wait for the result.
type count struct {
	mu     sync.Mutex
	result *pause.Census
}

// of counts the Machines of a Cluster. Callers must not modify the result.
func (c *censuses) of(ctx context.Context, reader client.Reader, cluster client.ObjectKey) (*pause.Census, error) {
	if c == nil {
		return takeCensus(ctx, reader, cluster)
	}
	one := c.count(cluster)
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.result != nil {
		return one.result, nil
	}
	var err error
	one.result, err = takeCensus(ctx, reader, cluster)
	return one.result, err
}

func (c *censuses) count(cluster client.ObjectKey) *count {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[client.ObjectKey]*count{}
	}
	if c.by[cluster] == nil {
		c.by[cluster] = &count{}
	}
	return c.by[cluster]
}

// changed makes the next call of count the Machines of a Cluster again. Call it when the cache has the change, and before waking
// anybody up for it. The result of a count in progress is not kept.
func (c *censuses) changed(cluster client.ObjectKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.by, cluster)
}

func takeCensus(ctx context.Context, reader client.Reader, cluster client.ObjectKey) (*pause.Census, error) {
	var list clusterv1.MachineList
	err := reader.List(ctx, &list, client.InNamespace(cluster.Namespace),
		client.MatchingFields{machinesByCluster: cluster.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines of Cluster %s: %w", cluster.Name, err)
	}
	return pause.Count(list.Items), nil
}
