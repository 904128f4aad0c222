package workload

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// syncTimeout is how long a read waits for the Nodes of a cluster to arrive in
	// the cache for the first time. Those that come too early are looked at again
	// when the Nodes arrive.
	syncTimeout = 2 * time.Second
	// hangBackoff is how long reads of a cluster that did not answer in time fail
	// at once, so that its Machines do not occupy the workers that others need.
	hangBackoff = 10 * time.Second
)

// Clusters reads Nodes through Cluster API's clustercache.
type Clusters struct {
	// Cache holds the connections.
	Cache clustercache.ClusterCache
	// Secrets reads the kubeconfig secrets, to say what is wrong with one.
	Secrets client.Reader
	// Clock tells the time.
	Clock clock.PassiveClock
	// Started is when the process began to ask.
	Started time.Time

	hanging sync.Map // client.ObjectKey -> time.Time until which reads fail at once
}

var _ Nodes = &Clusters{}

// Get implements Nodes.
func (c *Clusters) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if until, ok := c.hanging.Load(cluster); ok && c.Clock.Now().Before(until.(time.Time)) {
		return nil, &UnreadableError{Cause: causeNoAnswer, Err: context.DeadlineExceeded}
	}
	reader, err := c.Cache.GetReader(ctx, cluster)
	if err != nil {
		return nil, c.unreadable(ctx, cluster, err)
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	node := &corev1.Node{}
	err = reader.Get(ctx, client.ObjectKey{Name: name}, node)
	if errors.Is(err, context.DeadlineExceeded) {
		c.hanging.Store(cluster, c.Clock.Now().Add(hangBackoff))
	}
	return c.answer(ctx, cluster, node, err)
}

// GetLive implements Nodes.
func (c *Clusters) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	live, err := c.Cache.GetUncachedClient(ctx, cluster)
	if err != nil {
		return nil, c.unreadable(ctx, cluster, err)
	}
	node := &corev1.Node{}
	err = live.Get(ctx, client.ObjectKey{Name: name}, node)
	return c.answer(ctx, cluster, node, err)
}

// LastSeen implements Nodes.
func (c *Clusters) LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time {
	if seen := c.Cache.GetHealthCheckingState(ctx, cluster).LastProbeSuccessTime; !seen.IsZero() {
		return seen
	}
	return c.Started
}

// Forget drops what is kept for a cluster that is gone.
func (c *Clusters) Forget(cluster client.ObjectKey) {
	c.hanging.Delete(cluster)
	reachable.DeleteLabelValues(cluster.Namespace, cluster.Name)
}

// answer tells "there is no such Node" from "the cluster did not answer".
func (c *Clusters) answer(ctx context.Context, cluster client.ObjectKey, node *corev1.Node, err error) (*corev1.Node, error) {
	if err == nil {
		measure(cluster, true)
		return node, nil
	}
	if apierrors.IsNotFound(err) {
		measure(cluster, true)
		return nil, fmt.Errorf("getting a Node of %s: %w", cluster, err)
	}
	return nil, c.unreadable(ctx, cluster, err)
}
