// Package fakenodes fakes workload clusters.
//
// It is part of internal/testing. Its Nodes are workload.Nodes in memory: controllers read what a test puts there. A cluster can be
// cut off, and the cache can be made to lag behind.
package fakenodes

import (
	"context"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Nodes holds the Nodes of any number of workload clusters. The zero value has none. It is safe for
// concurrent use.
type Nodes struct {
	mu     sync.Mutex
	live   map[key]*corev1.Node
	cached map[key]*corev1.Node // nil unless the cache lags behind
	cutOff map[client.ObjectKey]outage
	busy   map[client.ObjectKey]bool
}

// outage is why a cluster cannot be read, and since when.
type outage struct {
	lastSeen time.Time
	why      workload.UnreadableError
}

type key struct {
	cluster client.ObjectKey
	name    string
}

var _ workload.Nodes = &Nodes{}

// Put adds or replaces Nodes of a cluster.
func (n *Nodes) Put(cluster client.ObjectKey, nodes ...*corev1.Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.live == nil {
		n.live = map[key]*corev1.Node{}
	}
	for _, node := range nodes {
		n.live[key{cluster, node.Name}] = node
	}
}

// Remove deletes a Node of a cluster.
func (n *Nodes) Remove(cluster client.ObjectKey, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.live, key{cluster, name})
}

// Freeze makes Get answer with the current Nodes, whatever happens later, like a cache that lags behind.
func (n *Nodes) Freeze() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cached = map[key]*corev1.Node{}
	maps.Copy(n.cached, n.live)
}

// CutOff makes a cluster lose its connection; it last answered at lastSeen. An event would announce the next connection.
func (n *Nodes) CutOff(cluster client.ObjectKey, lastSeen time.Time) {
	n.lose(cluster, outage{lastSeen, workload.UnreadableError{Cause: "connection to the workload cluster is down", Announced: true}})
}

// Silence makes a connected cluster stop answering.
func (n *Nodes) Silence(cluster client.ObjectKey, lastSeen time.Time) {
	n.lose(cluster, outage{lastSeen, workload.UnreadableError{Cause: "the workload cluster does not answer"}})
}

func (n *Nodes) lose(cluster client.ObjectKey, to outage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cutOff == nil {
		n.cutOff = map[client.ObjectKey]outage{}
	}
	n.cutOff[cluster] = to
}

// Reconnect makes a cluster readable again.
func (n *Nodes) Reconnect(cluster client.ObjectKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.cutOff, cluster)
}

// Busy sets whether somebody else is waiting for a cluster, so that reads fail with ErrBusy.
func (n *Nodes) Busy(cluster client.ObjectKey, busy bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy == nil {
		n.busy = map[client.ObjectKey]bool{}
	}
	n.busy[cluster] = busy
}

// Get implements workload.Nodes.
func (n *Nodes) Get(_ context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cached != nil {
		return n.answer(n.cached, cluster, name)
	}
	return n.answer(n.live, cluster, name)
}

// GetLive implements workload.Nodes.
func (n *Nodes) GetLive(_ context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.answer(n.live, cluster, name)
}

// LastSeen implements workload.Nodes.
func (n *Nodes) LastSeen(_ context.Context, cluster client.ObjectKey) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cutOff[cluster].lastSeen
}

func (n *Nodes) answer(from map[key]*corev1.Node, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if n.busy[cluster] {
		return nil, workload.ErrBusy
	}
	if out, ok := n.cutOff[cluster]; ok {
		return nil, &out.why
	}
	if node, ok := from[key{cluster, name}]; ok {
		return node, nil
	}
	return nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
}
