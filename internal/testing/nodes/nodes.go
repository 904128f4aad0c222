// Package nodes is a workload.Nodes in memory, for tests.
//
// It is part of internal/testing. Clusters come into being with their first Node; one that was never
// heard of has no Nodes, and says so.
package nodes

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Nodes holds the Nodes of any number of workload clusters. The zero value is ready.
type Nodes struct {
	mu       sync.Mutex
	clusters map[client.ObjectKey]*cluster
}

type cluster struct {
	cached, live map[string]*corev1.Node
	// cause is set while the cluster cannot be read.
	cause    string
	lastSeen time.Time
	liveGets int
}

var _ workload.Nodes = &Nodes{}

// Set makes Nodes exist.
func (n *Nodes) Set(key client.ObjectKey, nodes ...*corev1.Node) {
	n.change(key, func(c *cluster) {
		for _, node := range nodes {
			c.cached[node.Name], c.live[node.Name] = node, node
		}
	})
}

// SetLive makes a Node exist of which the cache has not heard yet; nil makes it gone.
func (n *Nodes) SetLive(key client.ObjectKey, name string, node *corev1.Node) {
	n.change(key, func(c *cluster) {
		delete(c.live, name)
		if node != nil {
			c.live[name] = node
		}
	})
}

// Delete makes a Node gone.
func (n *Nodes) Delete(key client.ObjectKey, name string) {
	n.change(key, func(c *cluster) {
		delete(c.cached, name)
		delete(c.live, name)
	})
}

// Cut makes a cluster unreadable, for a cause, since a moment.
func (n *Nodes) Cut(key client.ObjectKey, cause string, since time.Time) {
	n.change(key, func(c *cluster) { c.cause, c.lastSeen = cause, since })
}

// Mend makes a cluster readable again.
func (n *Nodes) Mend(key client.ObjectKey) {
	n.change(key, func(c *cluster) { c.cause = "" })
}

// LiveGets tells how often a cluster was read past the cache.
func (n *Nodes) LiveGets(key client.ObjectKey) int {
	var count int
	n.change(key, func(c *cluster) { count = c.liveGets })
	return count
}

// Get implements workload.Nodes.
func (n *Nodes) Get(_ context.Context, key client.ObjectKey, name string) (node *corev1.Node, err error) {
	n.change(key, func(c *cluster) { node, err = c.get(c.cached, name) })
	return node, err
}

// GetLive implements workload.Nodes.
func (n *Nodes) GetLive(_ context.Context, key client.ObjectKey, name string) (node *corev1.Node, err error) {
	n.change(key, func(c *cluster) {
		c.liveGets++
		node, err = c.get(c.live, name)
	})
	return node, err
}

// LastSeen implements workload.Nodes.
func (n *Nodes) LastSeen(_ context.Context, key client.ObjectKey) time.Time {
	var seen time.Time
	n.change(key, func(c *cluster) { seen = c.lastSeen })
	return seen
}

func (c *cluster) get(nodes map[string]*corev1.Node, name string) (*corev1.Node, error) {
	if c.cause != "" {
		return nil, &workload.UnreadableError{Cause: c.cause, Err: context.DeadlineExceeded}
	}
	node, ok := nodes[name]
	if !ok {
		return nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
	}
	return node, nil
}

func (n *Nodes) change(key client.ObjectKey, f func(*cluster)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.clusters == nil {
		n.clusters = map[client.ObjectKey]*cluster{}
	}
	if n.clusters[key] == nil {
		n.clusters[key] = &cluster{cached: map[string]*corev1.Node{}, live: map[string]*corev1.Node{}}
	}
	f(n.clusters[key])
}
