package soak

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// beats is how many heartbeats all Nodes together send per second: real Nodes report every five minutes, 2,000 of them 7 times per second.
const beats = 50

// pool knows the machines of a fleet by their places, replaces those that are marked, and knows who is called healthy.
type pool struct {
	fleet  *fleet.Fleet
	marked workqueue.TypedInterface[client.ObjectKey]

	mu sync.Mutex
	// places are the machines, cluster by cluster. A replacement takes the place of the old machine.
	places []fleet.Machine
	// taken are the machines that have a fault, and well those that are called healthy.
	taken, well map[client.ObjectKey]bool
}

// watchPool watches what the API server says of the Machines, until ctx ends.
func watchPool(ctx context.Context, f *fleet.Fleet) (*pool, error) {
	p := &pool{
		fleet: f, marked: workqueue.NewTyped[client.ObjectKey](), places: slices.Clone(f.Machines),
		taken: map[client.ObjectKey]bool{}, well: map[client.ObjectKey]bool{},
	}
	context.AfterFunc(ctx, p.marked.ShutDown)
	return p, journal.Watch(ctx, f.World, cache.Options{DefaultTransform: cache.TransformStripManagedFields()}, p.see, &clusterv1.Machine{})
}

func (p *pool) see(object client.Object, gone bool) {
	machine, verdict := client.ObjectKeyFromObject(object), journal.Verdict(object.(*clusterv1.Machine))
	if journal.Marked(object.(*clusterv1.Machine)) && !gone {
		p.marked.Add(machine)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.well[machine] = verdict != nil && verdict.Status == metav1.ConditionTrue
	if gone {
		delete(p.well, machine)
	}
}

// unhealthy returns the machines that are not called healthy.
func (p *pool) unhealthy() (left []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.places {
		if !p.well[m.ObjectKey] {
			left = append(left, m.Name)
		}
	}
	return left
}

func (p *pool) cluster(n int) client.ObjectKey {
	return p.places[n*p.fleet.Shape.Machines].Cluster
}

// take marks up to n machines of a cluster as taken, from one place on. Those that have a fault stay as they are. One machine alone is left out if
// a fifth of the cluster has a fault: if what never passes went beyond the budget, nobody would end it.
func (p *pool) take(cluster, from, n int) (some []fleet.Machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size, sick := p.fleet.Shape.Machines, 0
	for _, m := range p.places[cluster*size : (cluster+1)*size] {
		if p.taken[m.ObjectKey] {
			sick++
		}
	}
	if n == 1 && sick*5 >= size {
		return nil
	}
	for i := 0; i < size && len(some) < n; i++ {
		if m := p.places[cluster*size+(from+i)%size]; !p.taken[m.ObjectKey] {
			p.taken[m.ObjectKey] = true
			some = append(some, m)
		}
	}
	return some
}

func (p *pool) free(m fleet.Machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, m.ObjectKey)
}

// replaceMarked replaces machines that are marked, one after the other, until the watch ends.
func (p *pool) replaceMarked(ctx context.Context) error {
	context.AfterFunc(ctx, p.marked.ShutDown)
	for {
		name, over := p.marked.Get()
		if over {
			return nil
		}
		err := p.replace(ctx, name)
		p.marked.Done(name)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("replacing machine %s: %w", name, err)
		}
	}
}

func (p *pool) replace(ctx context.Context, name client.ObjectKey) error {
	p.mu.Lock()
	place := slices.IndexFunc(p.places, func(m fleet.Machine) bool { return m.ObjectKey == name })
	p.mu.Unlock()
	if place < 0 {
		return nil
	}
	// Nobody else replaces machines.
	old := p.places[place]
	if err := p.fleet.Remove(ctx, old); err != nil {
		return err
	}
	next := successor(old)
	if err := p.fleet.Add(ctx, next); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places[place] = next
	delete(p.taken, name)
	return nil
}

// successor returns the next machine in a place: c0-worker-7, c0-worker-7-r1, c0-worker-7-r2.
func successor(m fleet.Machine) fleet.Machine {
	name, number, _ := strings.Cut(m.Name, "-r")
	n := 0
	_, _ = fmt.Sscan(number, &n) // 0 if there is no number
	m.Name = fmt.Sprintf("%s-r%d", name, n+1)
	return m
}

// beat sends heartbeats for Nodes, one after the other.
func (p *pool) beat(ctx context.Context) error {
	for i := 0; wait(ctx, time.Second/beats); i++ {
		p.mu.Lock()
		m := p.places[i%len(p.places)]
		p.mu.Unlock()
		// It may have been deleted just now.
		if err := client.IgnoreNotFound(p.fleet.Beat(ctx, m)); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}
