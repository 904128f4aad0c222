package fault

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// AskRemediation asks for the remediation of a Machine by annotation, whatever its health, as a
// person would.
//
// The effect is immediate.
type AskRemediation struct {
	Machine client.ObjectKey
}

// String implements Fault.
func (f AskRemediation) String() string {
	return fmt.Sprintf("machine %s: somebody sets the annotation %s", f.Machine.Name, clusterv1.RemediateMachineAnnotation)
}

// Inject implements Fault.
func (f AskRemediation) Inject(ctx context.Context, w *world.World) error {
	return change(ctx, w, f.Machine, &clusterv1.Machine{}, func(machine *clusterv1.Machine) {
		annotate(machine, clusterv1.RemediateMachineAnnotation, "")
	})
}

// Heal implements Fault.
func (f AskRemediation) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(change(ctx, w, f.Machine, &clusterv1.Machine{}, func(machine *clusterv1.Machine) {
		unannotate(machine, clusterv1.RemediateMachineAnnotation)
	}))
}
