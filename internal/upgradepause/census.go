package upgradepause

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/targets"
)

// census is what matters of the Machines of a Cluster.
type census struct {
	versions inService
	// away are those that may be remediated, and have no Node that is Ready.
	away []away
}

// away is one of them.
type away struct {
	name   string
	labels labels.Set
}

// censuses has the Machines of each Cluster counted once after one of them has changed, and not once for each MachineHealthCheck. It is
// safe for concurrent use; nil counts each time.
type censuses struct {
	mu sync.Mutex
	by map[client.ObjectKey]*count
}

// count is made once. Others who want it meanwhile wait for it.
type count struct {
	mu     sync.Mutex
	result *census
}

// of counts the Machines of a Cluster. The result is not to be changed.
func (c *censuses) of(ctx context.Context, reader client.Reader, cluster client.ObjectKey) (*census, error) {
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

// changed has the Machines of a Cluster counted anew. It is called when the cache knows of the change already, and before anybody is
// woken up for it. What is being counted now is not kept.
func (c *censuses) changed(cluster client.ObjectKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.by, cluster)
}

func takeCensus(ctx context.Context, reader client.Reader, cluster client.ObjectKey) (*census, error) {
	var list clusterv1.MachineList
	err := reader.List(ctx, &list, client.InNamespace(cluster.Namespace),
		client.MatchingFields{machinesByCluster: cluster.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines of Cluster %s: %w", cluster.Name, err)
	}
	result := &census{versions: inService{}}
	for i := range list.Items {
		machine := &list.Items[i]
		result.versions.count(machine)
		if machine.DeletionTimestamp.IsZero() && targets.IsTarget(machine) &&
			!meta.IsStatusConditionTrue(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition) {
			result.away = append(result.away, away{machine.Name, machine.Labels})
		}
	}
	return result, nil
}
