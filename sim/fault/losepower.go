package fault

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// manyOrders is more orders than a host gets in a test.
const manyOrders = 1 << 20

// LosePower cuts the power of a bare-metal host, and makes each order to switch it on fail. The operator reports that in the
// host's status.
type LosePower struct {
	Host client.ObjectKey
}

// String implements Fault.
func (f LosePower) String() string {
	return fmt.Sprintf("host %s loses its power, and cannot be switched on", f.Host.Name)
}

// Inject implements Fault.
func (f LosePower) Inject(_ context.Context, w *world.World) error {
	f.fail(w, manyOrders)
	w.Host(f.Host).Press(false)
	return nil
}

// Heal implements Fault. The next order to switch it on succeeds.
func (f LosePower) Heal(_ context.Context, w *world.World) error {
	f.fail(w, 0)
	return nil
}

func (f LosePower) fail(w *world.World, orders int) {
	host := w.Host(f.Host)
	faults := host.Faults()
	faults.FailOn = orders
	host.Set(faults)
}
