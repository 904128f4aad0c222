package fault

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// HangHost stops everything that runs on a bare-metal host. The host keeps its power and ignores requests to shut
// down, and its kubelet falls silent: some two seconds later, the Node is Unknown. The next boot works, unless
// Always is set: then no boot registers a Node until Heal.
type HangHost struct {
	Host   client.ObjectKey
	Always bool
}

// String implements Fault.
func (f HangHost) String() string {
	text := fmt.Sprintf("host %s hangs: it has power, and nothing on it answers", f.Host.Name)
	if f.Always {
		text += "; it hangs again in every boot"
	}
	return text
}

// Inject implements Fault.
func (f HangHost) Inject(_ context.Context, w *world.World) error {
	f.ignoreSoft(w, true)
	w.Hang(f.Host, f.Always)
	return nil
}

// Heal implements Fault.
func (f HangHost) Heal(_ context.Context, w *world.World) error {
	f.ignoreSoft(w, false)
	w.Wake(f.Host)
	return nil
}

func (f HangHost) ignoreSoft(w *world.World, ignore bool) {
	host := w.Host(f.Host)
	faults := host.Faults()
	faults.SoftIgnored = ignore
	host.Set(faults)
}
