package remediation

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

const (
	// nodeTimeout is how long a live read of a Node may take. A cluster that hangs must not keep the workers from others.
	nodeTimeout = 2 * time.Second
	// placeTimeout is how long a worker waits for its turn to read a cluster. Most reads take a few milliseconds.
	placeTimeout = 100 * time.Millisecond
)

// nodeReads bounds how many workers read one workload cluster at once.
type nodeReads struct {
	// most is how many may; 0 means any number.
	most int

	mu sync.Mutex
	// places are taken by those that read a cluster.
	places map[client.ObjectKey]chan struct{}
}

// enter waits for a place for a moment.
func (n *nodeReads) enter(ctx context.Context, cluster client.ObjectKey) (leave func(), err error) {
	if n.most == 0 {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, placeTimeout, errBusy)
	defer cancel()
	places := n.of(cluster)
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (n *nodeReads) of(cluster client.ObjectKey) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.places == nil {
		n.places = map[client.ObjectKey]chan struct{}{}
	}
	if n.places[cluster] == nil {
		n.places[cluster] = make(chan struct{}, n.most)
	}
	return n.places[cluster]
}

// forget drops what is kept for a cluster that is gone.
func (n *nodeReads) forget(cluster client.ObjectKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.places, cluster)
}

// boundedNodes reads Nodes past the cache within those bounds.
type boundedNodes struct {
	workload.Nodes
	reads *nodeReads
}

// GetLive implements workload.Nodes.
func (b boundedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	leave, err := b.reads.enter(ctx, cluster)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return b.Nodes.GetLive(ctx, cluster, name)
}

// nodeAhead has asked already for one Node past the cache.
type nodeAhead struct {
	workload.Nodes
	cluster client.ObjectKey
	name    string
	done    chan struct{}
	node    *corev1.Node
	err     error
}

// GetLive implements workload.Nodes.
func (a *nodeAhead) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if cluster != a.cluster || name != a.name {
		return a.Nodes.GetLive(ctx, cluster, name)
	}
	<-a.done
	return a.node, a.err
}

// nodesAhead asks for the Node of a machine, as far as the caches show which it is.
func (r *Reconciler) nodesAhead(ctx context.Context, shown *view) workload.Nodes {
	bounded := boundedNodes{r.Observer.Nodes, &r.nodes}
	if !r.sideBySide || shown == nil || shown.machine == nil || !shown.machine.Status.NodeRef.IsDefined() {
		return bounded
	}
	a := &nodeAhead{Nodes: bounded, cluster: clusterKey(shown.facts.Record), name: shown.machine.Status.NodeRef.Name, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.node, a.err = bounded.GetLive(ctx, a.cluster, a.name)
	}()
	return a
}
