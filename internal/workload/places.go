package workload

import (
	"errors"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrNoPlace means that as many workers as allowed are busy with a workload cluster.
var ErrNoPlace = errors.New("no more workers may be busy with the workload cluster")

// Places limits how many workers are busy with one workload cluster at once, so that a cluster that hangs does not occupy all
// of them. The zero value has no limit.
type Places struct {
	// Most is that limit; 0 means none.
	Most int

	mu   sync.Mutex
	busy map[client.ObjectKey]int
}

// Enter takes a place if one is free. Its only error is ErrNoPlace.
func (p *Places) Enter(cluster client.ObjectKey) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Most > 0 && p.busy[cluster] >= p.Most {
		return nil, ErrNoPlace
	}
	if p.busy == nil {
		p.busy = map[client.ObjectKey]int{}
	}
	p.busy[cluster]++
	return func() { p.leave(cluster) }, nil
}

func (p *Places) leave(cluster client.ObjectKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[cluster]--; p.busy[cluster] == 0 {
		delete(p.busy, cluster)
	}
}
