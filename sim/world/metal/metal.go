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

// system is the state of a host's operating system.
type system struct {
	// hung is the ID of the boot that hangs, or empty. If always is set, every boot hangs.
	hung   string
	always bool
	// joined is whether its kubelet was ever active, lastReport when it was last active, and lost whether its Node is Unknown.
	joined, lost bool
	lastReport   time.Time
	views        []View
}

// View is what a host saw of its Node in one boot. Whatever changed between the end of one boot and the start of the next
// changed while the host had no power, unless somebody reset the host.
type View struct {
	// First is the Node that existed when the host got power, and Last the one when it lost power; empty if there was
	// none.
	First, Last types.UID
	// Err is set if the host could not read its Node.
	Err error
}

// The kinds of the infrastructure provider.
var (
	Machine  = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}
	Template = Machine.GroupVersion().WithKind("Metal3MachineTemplate")
	Cluster  = Machine.GroupVersion().WithKind("Metal3Cluster")
)

// Start starts the operator and the simulated parts of Kubernetes and Metal3 around it. They run until lifetime ends.
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

// Close stops the operator.
func (m *Metal) Close() error { return m.operator.Close() }

// Host returns the machine behind a BareMetalHost.
func (m *Metal) Host(key client.ObjectKey) *baremetal.Host { return m.operator.Host(key) }

// Hang stops everything that runs on a host until its next boot, or in every boot if always is set.
func (m *Metal) Hang(host client.ObjectKey, always bool) { m.hang(host, m.Host(host).BootID(), always) }

// Wake resumes the system of a host that hangs.
func (m *Metal) Wake(host client.ObjectKey) { m.hang(host, "", false) }

// Views returns what a host saw of its Node in each boot.
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
