package fault

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// DeleteInfrastructure deletes the infrastructure machine of a bare-metal Machine, but not the Machine. Its provider takes the
// host back, and once the object is gone, Cluster API reports that the Machine has failed. Heal cannot undo it.
type DeleteInfrastructure struct {
	Machine client.ObjectKey
	// Kind is the kind of the infrastructure machine, which has the Machine's name.
	Kind schema.GroupVersionKind
}

// String implements Fault.
func (f DeleteInfrastructure) String() string {
	return fmt.Sprintf("somebody deletes %s %s, and not its machine", f.Kind.Kind, f.Machine.Name)
}

// Inject implements Fault.
func (f DeleteInfrastructure) Inject(ctx context.Context, w *world.World) error {
	infrastructure := scaffold.MetadataOf(f.Kind)
	infrastructure.SetNamespace(f.Machine.Namespace)
	infrastructure.SetName(f.Machine.Name)
	if err := w.Client().Delete(ctx, infrastructure); err != nil {
		return fmt.Errorf("deleting %s %s: %w", f.Kind.Kind, f.Machine, err)
	}
	return nil
}

// Heal implements Fault.
func (f DeleteInfrastructure) Heal(context.Context, *world.World) error { return nil }
