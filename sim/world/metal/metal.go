package metal

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// Metal is the hosts of a world.
type Metal struct {
	client   client.Client
	operator *baremetal.Operator

	mu      sync.Mutex
	systems map[client.ObjectKey]*system
}

// system is what is known of the system of a host.
type system struct {
	// hung is the boot that hangs; empty if none does. With always, every boot does.
	hung   string
	always bool
	// joined tells that its kubelet was ever heard of, heard when it was last, and lost that its Node is Unknown.
	joined, lost bool
	heard        time.Time
	views        []View
}

// View is what a host saw of its Node in one boot. Whatever is between the last moment of a boot and the first of the next
// happened while the host had no power, as long as nobody resets it.
type View struct {
	// First is the Node that was there when the host got power, and Last the one when it lost it; empty if there
	// was none.
	First, Last types.UID
	// Err is set if the host could not see.
	Err error
}

// The kinds of the infrastructure provider.
var (
	Machine  = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}
	Template = Machine.GroupVersion().WithKind("Metal3MachineTemplate")
	Cluster  = Machine.GroupVersion().WithKind("Metal3Cluster")
)

// Start starts the operator and what Kubernetes and Metal3 have beside it, for as long as lifetime lasts.
func Start(ctx, lifetime context.Context, mgr ctrl.Manager, config *rest.Config, c client.Client) (*Metal, error) {
	if err := (&provider{client: c}).addTo(mgr); err != nil {
		return nil, err
	}
	operator, err := baremetal.Start(ctx, config, baremetal.Options{})
	if err != nil {
		return nil, fmt.Errorf("starting the operator of bare-metal hosts: %w", err)
	}
	m := &Metal{client: c, operator: operator, systems: map[client.ObjectKey]*system{}}
	go m.watchKubelets(lifetime)
	return m, nil
}

// Close ends the operator.
func (m *Metal) Close() error { return m.operator.Close() }

// Host returns the machine behind a BareMetalHost.
func (m *Metal) Host(key client.ObjectKey) *baremetal.Host { return m.operator.Host(key) }

// Hang stops everything that runs on a host, until its next boot, or in every boot with always.
func (m *Metal) Hang(host client.ObjectKey, always bool) { m.hang(host, m.Host(host).BootID(), always) }

// Wake has the system of a host go on that hangs.
func (m *Metal) Wake(host client.ObjectKey) { m.hang(host, "", false) }

// Views returns what a host saw of its Node, boot by boot.
func (m *Metal) Views(host client.ObjectKey) []View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]View(nil), m.system(host).views...)
}

func (m *Metal) hang(host client.ObjectKey, boot string, always bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	s.hung, s.always = boot, always
}

// system must be called with m.mu held.
func (m *Metal) system(host client.ObjectKey) *system {
	s, ok := m.systems[host]
	if !ok {
		s = &system{}
		m.systems[host] = s
	}
	return s
}
