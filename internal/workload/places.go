package workload

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Places limits how many workers are busy with one workload cluster at once, so that a cluster that hangs does not occupy all
// of them. The zero value has no limit.
type Places struct {
	// Most is that limit; 0 means none.
	Most int

	mu sync.Mutex
	of map[client.ObjectKey]chan struct{}
}

// Enter waits for a place until ctx ends.
func (p *Places) Enter(ctx context.Context, cluster client.ObjectKey) (leave func(), err error) {
	if p.Most == 0 {
		return func() {}, nil
	}
	places := p.in(cluster)
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// TryEnter takes a place if one is free.
func (p *Places) TryEnter(cluster client.ObjectKey) (leave func(), ok bool) {
	if p.Most == 0 {
		return func() {}, true
	}
	places := p.in(cluster)
	select {
	case places <- struct{}{}:
		return func() { <-places }, true
	default:
		return nil, false
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
