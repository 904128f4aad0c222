package remediation

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// nodeTimeout is how long a live read of a Node may take. A cluster that hangs must not keep the workers from others.
const nodeTimeout = 2 * time.Second

// nodeReads bounds how many workers read one workload cluster at once.
type nodeReads struct {
	// most is how many may; 0 means any number.
	most int

	mu      sync.Mutex
	reading map[client.ObjectKey]int
}

func (n *nodeReads) read(ctx context.Context, cluster client.ObjectKey, do func(context.Context) (machinehealth.Facts, error)) (machinehealth.Facts, error) {
	if !n.enter(cluster) {
		return machinehealth.Facts{}, errBusy
	}
	defer n.leave(cluster)
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return do(ctx)
}

// busy reports whether as many read a cluster as may do so.
func (n *nodeReads) busy(cluster client.ObjectKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.full(cluster)
}

func (n *nodeReads) full(cluster client.ObjectKey) bool {
	return n.most > 0 && n.reading[cluster] >= n.most
}

func (n *nodeReads) enter(cluster client.ObjectKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.full(cluster) {
		return false
	}
	if n.reading == nil {
		n.reading = map[client.ObjectKey]int{}
	}
	n.reading[cluster]++
	return true
}

func (n *nodeReads) leave(cluster client.ObjectKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.reading[cluster]--; n.reading[cluster] == 0 {
		delete(n.reading, cluster)
	}
}
