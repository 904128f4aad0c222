package remediation

import (
	"context"
	"errors"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// nodeTimeout is how long a live read of a Node may take. A cluster that hangs must not keep the workers from others.
const nodeTimeout = 2 * time.Second

// errBusy says that a workload cluster is being read by as many as may do so at once.
var errBusy = errors.New("the workload cluster is being read by others")

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

func (n *nodeReads) enter(cluster client.ObjectKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.most > 0 && n.reading[cluster] >= n.most {
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
