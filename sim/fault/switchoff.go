package fault

import (
	"context"
	"fmt"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// SwitchOff switches a bare-metal host off, as somebody does who works on it: by spec.online. Its kubelet falls silent, and some two
// seconds later, the Node is Unknown. Heal switches it on again.
type SwitchOff struct {
	Host client.ObjectKey
}

// String implements Fault.
func (f SwitchOff) String() string {
	return fmt.Sprintf("a technician switches host %s off (spec.online: false)", f.Host.Name)
}

// Inject implements Fault.
func (f SwitchOff) Inject(ctx context.Context, w *world.World) error { return f.wants(ctx, w, false) }

// Heal implements Fault.
func (f SwitchOff) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(f.wants(ctx, w, true))
}

func (f SwitchOff) wants(ctx context.Context, w *world.World, on bool) error {
	return change(ctx, w, f.Host, &metal3v1.BareMetalHost{}, func(host *metal3v1.BareMetalHost) { host.Spec.Online = on })
}
