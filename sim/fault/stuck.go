package fault

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// StickInfrastructure lets the infrastructure provider do nothing more for a machine, as if the cloud's
// API hung. The machine runs on.
//
// It shows when the Machine is deleted: it stays, being deleted, until Heal.
type StickInfrastructure struct {
	Machine client.ObjectKey
}

// String implements Fault.
func (f StickInfrastructure) String() string {
	return fmt.Sprintf("infrastructure of machine %s stuck", f.Machine)
}

// Inject implements Fault.
func (f StickInfrastructure) Inject(ctx context.Context, w *world.World) error {
	err := change(ctx, w, f.Machine, &infrav1.DevMachine{}, func(infra *infrav1.DevMachine) {
		annotate(infra, clusterv1.PausedAnnotation, "")
	})
	if err != nil {
		return err
	}
	return world.Poll(ctx, func(ctx context.Context) error {
		infra := &infrav1.DevMachine{}
		if err := w.Client().Get(ctx, f.Machine, infra); err != nil {
			return fmt.Errorf("getting the infrastructure of machine %s: %w", f.Machine, err)
		}
		if !conditions.IsTrue(infra, clusterv1.PausedCondition) {
			return fmt.Errorf("the backend of machine %s still works", f.Machine)
		}
		return nil
	})
}

// Heal implements Fault.
func (f StickInfrastructure) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(change(ctx, w, f.Machine, &infrav1.DevMachine{}, func(infra *infrav1.DevMachine) {
		unannotate(infra, clusterv1.PausedAnnotation)
	}))
}
