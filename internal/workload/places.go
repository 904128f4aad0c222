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

	mu sync.Mutex
	of map[client.ObjectKey]chan struct{}
}

// Enter takes a place if one is free. Its only error is ErrNoPlace.
func (p *Places) Enter(cluster client.ObjectKey) (leave func(), err error) {
	if p.Most == 0 {
		return func() {}, nil
	}
	places := p.in(cluster)
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	default:
		return nil, ErrNoPlace
	}
}

func (p *Places) in(cluster client.ObjectKey) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[client.ObjectKey]chan struct{}{}
	}
	if p.of[cluster] == nil {
		p.of[cluster] = make(chan struct{}, p.Most)
	}
	return p.of[cluster]
}

// Forget drops the state of a cluster that is gone.
func (p *Places) Forget(cluster client.ObjectKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, cluster)
}
