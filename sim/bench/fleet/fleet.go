// Package fleet makes the fleets that benchmarks have their subjects keep healthy: thousands of Machines on a real API server. The Nodes of many
// clusters are in memory; those of a single cluster are on a real API server, too. There is no infrastructure, and no controller of Cluster API runs.
// Only the subject reads and writes, so the measured cost is its own.
package fleet

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// NodeTimeout is how long a Node may be not ready if there are many clusters. It is short to keep a run short, but long enough to prepare a storm.
const NodeTimeout = 5 * time.Second

// NodeTimeout is how long a Node of this fleet may be not ready. A real API server takes longer to write the Nodes of a storm.
func (f *Fleet) NodeTimeout() time.Duration {
	const machinesPerSecond = 1000 // a tenth of them in a storm
	for _, c := range clusters(f.Shape) {
		if c.real {
			return NodeTimeout + time.Duration(c.machines/machinesPerSecond)*time.Second
		}
	}
	return NodeTimeout
}

// writers is how many goroutines write while a fleet is created. More do not make an API server on two cores faster.
const writers = 16

// Fleet is a management cluster with its workload clusters.
type Fleet struct {
	Shape result.Fleet
	World *world.World
	// Machines are all machines, cluster by cluster.
	Machines []Machine

	mutex sync.Mutex
	nodes map[client.ObjectKey]nodes
	// owners are the MachineSets that own the machines of each cluster.
	owners map[client.ObjectKey]types.UID
}

// Large returns the machines of the large cluster beside the others; none if there is no such cluster.
func (f *Fleet) Large() []Machine { return f.Machines[f.Shape.Clusters*f.Shape.Machines:] }

// Beside returns the machines of the clusters beside the large one; all machines if there is none.
func (f *Fleet) Beside() []Machine { return f.Machines[:f.Shape.Clusters*f.Shape.Machines] }

// Machine is a machine with its Node.
type Machine struct {
	client.ObjectKey
	Cluster client.ObjectKey
}

// Start creates a fleet. Everything in it is healthy, and nobody has said so yet. No machine of a cluster is remediated while more of them than a limit,
// such as "40%", are unhealthy. Log receives the output of its API server.
func Start(ctx context.Context, shape result.Fleet, limit string, log io.Writer) (*Fleet, error) {
	options := world.Options{Synthetic: true, Log: log}
	if shape.Size() > judgedFrom {
		options.GOGC = thrifty
	}
	w, err := world.Start(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("starting an API server for %d machines: %w", shape.Size(), err)
	}
	f := &Fleet{Shape: shape, World: w, nodes: map[client.ObjectKey]nodes{}, owners: map[client.ObjectKey]types.UID{}}
	if err := f.populate(ctx, limit); err != nil {
		_ = w.Stop(context.WithoutCancel(ctx))
		return nil, err
	}
	return f, nil
}

// Each calls do for all machines, several at a time.
func Each(ctx context.Context, machines []Machine, do func(context.Context, Machine) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, m := range machines {
		group.Go(func() error { return do(ctx, m) })
	}
	return group.Wait()
}

// ownerIn returns the MachineSet of a cluster. Clusters are created in parallel.
func (f *Fleet) ownerIn(cluster client.ObjectKey) types.UID {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.owners[cluster]
}

// nodesOf returns the Nodes of a cluster.
func (f *Fleet) nodesOf(cluster client.ObjectKey) nodes {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.nodes[cluster]
}
