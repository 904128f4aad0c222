package fault

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// PauseCluster sets spec.paused of a Cluster, so that every Cluster API controller leaves its
// objects alone.
//
// Paused conditions follow within some 50 ms. Machines stay as they are, even those in
// deletion.
type PauseCluster struct {
	Cluster client.ObjectKey
}

// String implements Fault.
func (f PauseCluster) String() string { return fmt.Sprintf("cluster %s paused", f.Cluster) }

// Inject implements Fault.
func (f PauseCluster) Inject(ctx context.Context, w *world.World) error {
	return f.set(ctx, w, new(true))
}

// Heal implements Fault.
func (f PauseCluster) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(f.set(ctx, w, nil))
}

func (f PauseCluster) set(ctx context.Context, w *world.World, paused *bool) error {
	return change(ctx, w, f.Cluster, &clusterv1.Cluster{}, func(cluster *clusterv1.Cluster) {
		cluster.Spec.Paused = paused
	})
}
