package remediation

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

const (
	// nodeTimeout limits a live read of a Node. A cluster that hangs must not block the workers.
	nodeTimeout = 2 * time.Second
	// placeTimeout is how long a worker waits for its turn to read a cluster. Most reads take a few milliseconds.
	placeTimeout = 100 * time.Millisecond
)

// boundedNodes reads Nodes past the cache within these limits.
type boundedNodes struct {
	workload.Nodes
	reads *workload.Places
}

// GetLive implements workload.Nodes.
func (b boundedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	leave, err := b.enter(ctx, cluster)
	if err != nil {
		return nil, err
	}
	defer leave()
	return b.read(ctx, cluster, name)
}

// enter waits for a place in the cluster.
func (b boundedNodes) enter(ctx context.Context, cluster client.ObjectKey) (leave func(), err error) {
	waiting, stop := context.WithTimeoutCause(ctx, placeTimeout, workload.ErrNoPlace)
	defer stop()
	return b.reads.Enter(waiting, cluster)
}

func (b boundedNodes) read(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return b.Nodes.GetLive(ctx, cluster, name)
}

// nodeAhead has started to read one Node past the cache.
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

// nodesAhead starts to read the Node of a machine, as far as the caches show which one it is. It first waits for a place: a worker that
// gets none reads nothing else.
func (r *Reader) nodesAhead(ctx context.Context, shown *view) (workload.Nodes, error) {
	bounded := boundedNodes{r.Observer.Nodes, &r.nodes}
	if !r.sideBySide || shown == nil || shown.machine == nil || !shown.machine.Status.NodeRef.IsDefined() {
		return bounded, nil
	}
	a := &nodeAhead{Nodes: bounded, cluster: clusterKey(shown.facts.Record), name: shown.machine.Status.NodeRef.Name, done: make(chan struct{})}
	leave, err := bounded.enter(ctx, a.cluster)
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(a.done)
		defer leave()
		a.node, a.err = bounded.read(ctx, a.cluster, a.name)
	}()
	return a, nil
}
