package remediation

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
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

func (n *nodeReads) read(ctx context.Context, cluster client.ObjectKey, do func(context.Context) (machinehealth.Facts, error)) (machinehealth.Facts, error) {
	leave, err := n.enter(ctx, cluster)
	if err != nil {
		return machinehealth.Facts{}, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return do(ctx)
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
