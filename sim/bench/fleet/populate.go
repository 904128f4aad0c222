package fleet

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// judgedFrom is the size above which a fleet is created with the verdicts that Sickbay would write. An API server on two
// cores takes some 250 of them per second, so those for 100,000 machines would take longer than everything else.
const judgedFrom = 10_000

// thrifty is the garbage collection target of the control plane for such a fleet, which does not fit into memory otherwise.
const thrifty = 60

// Judged reports whether the fleet was created with verdicts.
func (f *Fleet) Judged() bool { return f.Shape.Size() > judgedFrom }

// cluster is a cluster to create.
type cluster struct {
	client.ObjectKey
	machines int
	// real is set if its Nodes are on a real API server.
	real bool
}

// clusters returns the clusters of a fleet, the large one last. A cluster is real if it is alone or large: one real API
// server fits on a computer beside those in memory.
func clusters(shape result.Fleet) []cluster {
	var all []cluster
	for n := range shape.Clusters {
		key := client.ObjectKey{Namespace: fmt.Sprintf("fleet-%d", n), Name: fmt.Sprintf("c%d", n)}
		all = append(all, cluster{key, shape.Machines, shape.Clusters == 1 && shape.Large == 0})
	}
	if shape.Large > 0 {
		all = append(all, cluster{client.ObjectKey{Namespace: "fleet-large", Name: "large"}, shape.Large, true})
	}
	return all
}

// populate writes all objects.
func (f *Fleet) populate(ctx context.Context, limit string) error {
	store, err := openStore(f.World.Etcd())
	if err != nil {
		return err
	}
	defer func() { _ = store.close() }()
	all := clusters(f.Shape)
	for _, c := range all {
		f.Machines = append(f.Machines, c.all()...)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, c := range all {
		group.Go(func() error { return f.addAll(ctx, store, c, limit) })
	}
	return group.Wait()
}

func (c cluster) all() []Machine {
	machines := make([]Machine, c.machines)
	for m := range machines {
		machines[m] = Machine{client.ObjectKey{Namespace: c.Namespace, Name: fmt.Sprintf("%s-worker-%d", c.Name, m)}, c.ObjectKey}
	}
	return machines
}

// addAll creates a cluster with everything in it. The API server creates its first machine; the others are copies.
func (f *Fleet) addAll(ctx context.Context, store *store, c cluster, limit string) error {
	if err := f.addCluster(ctx, c); err != nil {
		return err
	}
	owner := machineSet(c.ObjectKey, c.machines)
	if err := f.World.Client().Create(ctx, owner); err != nil {
		return fmt.Errorf("creating the owner of the machines of %s: %w", c.ObjectKey, err)
	}
	f.mutex.Lock()
	f.owners[c.ObjectKey] = owner.UID
	f.mutex.Unlock()
	if err := f.World.Client().Create(ctx, healthCheck(c.ObjectKey, limit, f.NodeTimeout())); err != nil {
		return fmt.Errorf("creating the health check of %s: %w", c.ObjectKey, err)
	}
	machines := c.all()
	if err := f.Add(ctx, machines[0]); err != nil {
		return err
	}
	if f.Judged() {
		if err := f.judge(ctx, machines[0]); err != nil {
			return err
		}
	}
	if err := Each(ctx, machines[1:], f.addNode); err != nil {
		return err
	}
	return store.clone(ctx, machines[0], machines[1:])
}
