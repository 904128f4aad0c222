package fault

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// deletionHook makes Cluster API wait before it deletes a Machine's infrastructure.
const deletionHook = clusterv1.PreTerminateDeleteHookAnnotationPrefix + "/sim.sickbay.dev"

// HoldDeletion keeps a Machine in deletion, like a program that still has to clean up. The machine keeps running.
//
// The effect appears when the Machine is deleted: it stays in deletion until Heal.
type HoldDeletion struct {
	Machine client.ObjectKey
}

// String implements Fault.
func (f HoldDeletion) String() string {
	return fmt.Sprintf("deletion of machine %s held up", f.Machine)
}

// Inject implements Fault.
func (f HoldDeletion) Inject(ctx context.Context, w *world.World) error {
	return change(ctx, w, f.Machine, &clusterv1.Machine{}, func(machine *clusterv1.Machine) {
		annotate(machine, deletionHook, "")
	})
}

// Heal implements Fault.
func (f HoldDeletion) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(change(ctx, w, f.Machine, &clusterv1.Machine{}, func(machine *clusterv1.Machine) {
		unannotate(machine, deletionHook)
	}))
}
