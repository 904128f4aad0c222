package soak

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// roster knows which machine is at which place of a fleet. A replacement takes the place of the old machine.
type roster struct {
	mu sync.Mutex
	// machines are the machines of each cluster.
	machines [][]fleet.Machine
	places   map[client.ObjectKey]place
	// taken are the machines that have a fault.
	taken map[client.ObjectKey]bool
}

type place struct{ cluster, machine int }

// newRoster puts machines, cluster by cluster, into their places.
func newRoster(machines []fleet.Machine, perCluster int) *roster {
	b := &roster{places: map[client.ObjectKey]place{}, taken: map[client.ObjectKey]bool{}}
	for all := range slices.Chunk(slices.Clone(machines), perCluster) {
		for i, m := range all {
			b.places[m.ObjectKey] = place{len(b.machines), i}
		}
		b.machines = append(b.machines, all)
	}
	return b
}

// take returns the machine in a place, and marks it as taken, unless it already has a fault.
func (b *roster) take(cluster, machine int) (fleet.Machine, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.machines[cluster][machine]
	if b.taken[m.ObjectKey] {
		return m, false
	}
	b.taken[m.ObjectKey] = true
	return m, true
}

// takeSome takes n machines of a cluster, or as many as it can.
func (b *roster) takeSome(cluster, from, n int) []fleet.Machine {
	var some []fleet.Machine
	size := len(b.machines[cluster])
	for i := 0; i < size && len(some) < n; i++ {
		if m, ok := b.take(cluster, (from+i)%size); ok {
			some = append(some, m)
		}
	}
	return some
}

// free makes a machine available for other faults.
func (b *roster) free(m fleet.Machine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.taken, m.ObjectKey)
}

// all returns the machines that have a place now.
func (b *roster) all() []fleet.Machine {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Concat(b.machines...)
}

// find returns a machine by its name, if it is in a place.
func (b *roster) find(name client.ObjectKey) (fleet.Machine, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.places[name]
	if !ok {
		return fleet.Machine{}, false
	}
	return b.machines[at.cluster][at.machine], true
}

// replace gives the place of a machine to another.
func (b *roster) replace(old, next fleet.Machine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.places[old.ObjectKey]
	delete(b.places, old.ObjectKey)
	delete(b.taken, old.ObjectKey)
	b.machines[at.cluster][at.machine], b.places[next.ObjectKey] = next, at
}

// successor returns the name of the next machine in a place: c0-worker-7, c0-worker-7-r1, c0-worker-7-r2.
func successor(m fleet.Machine) fleet.Machine {
	name, number, _ := strings.Cut(m.Name, "-r")
	n := 0
	_, _ = fmt.Sscan(number, &n) // 0 if there is no number
	m.Name = fmt.Sprintf("%s-r%d", name, n+1)
	return m
}
