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
	waiting, stop := context.WithTimeoutCause(ctx, placeTimeout, errBusy)
	leave, err := b.reads.Enter(waiting, cluster)
	stop()
	if err != nil {
		return nil, err
	}
	defer leave()
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

// nodesAhead starts to read the Node of a machine, as far as the caches show which one it is.
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
