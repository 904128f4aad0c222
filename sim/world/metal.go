package world

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// metal is the bare metal of a world: hosts with their operator, what runs on them, and who gives them to machines.
type metal struct {
	world    *World
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

var (
	metalMachine  = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}
	metalTemplate = metalMachine.GroupVersion().WithKind("Metal3MachineTemplate")
	metalCluster  = metalMachine.GroupVersion().WithKind("Metal3Cluster")
)

// metalCRDs are the kinds of the operator and of the infrastructure provider.
func metalCRDs() ([]string, error) {
	operator, err := baremetal.CRDDir()
	if err != nil {
		return nil, err
	}
	return []string{operator, filepath.Join(sourceDir(), "metal3.yaml")}, nil
}

// startMetal starts the operator and what Kubernetes and Metal3 have beside it.
func (w *World) startMetal(ctx, lifetime context.Context, mgr ctrl.Manager) error {
	m := &metal{world: w, systems: map[client.ObjectKey]*system{}}
	if err := (&metalProvider{client: w.client}).addTo(mgr); err != nil {
		return err
	}
	var err error
	if m.operator, err = baremetal.Start(ctx, w.config, baremetal.Options{}); err != nil {
		return fmt.Errorf("starting the operator of bare-metal hosts: %w", err)
	}
	w.metal = m
	w.onStop(func(context.Context) error { return m.operator.Close() })
	go m.watchKubelets(lifetime)
	return nil
}

// Host returns the machine behind a BareMetalHost.
func (w *World) Host(key client.ObjectKey) *baremetal.Host { return w.metal.operator.Host(key) }

// HasMetal reports whether there can be hosts.
func (w *World) HasMetal() bool { return w.metal != nil }

// Hang stops everything that runs on a host, until its next boot, or in every boot with always; the host keeps its
// power. Wake has it go on.
func (w *World) Hang(host client.ObjectKey, always bool) {
	w.metal.hang(host, w.Host(host).BootID(), always)
}

// Wake has the system of a host go on that hangs.
func (w *World) Wake(host client.ObjectKey) { w.metal.hang(host, "", false) }

// Views returns what a host saw of its Node, boot by boot.
func (w *World) Views(host client.ObjectKey) []View {
	w.metal.mu.Lock()
	defer w.metal.mu.Unlock()
	return append([]View(nil), w.metal.system(host).views...)
}

func (m *metal) hang(host client.ObjectKey, boot string, always bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	s.hung, s.always = boot, always
}

// system must be called with m.mu held.
func (m *metal) system(host client.ObjectKey) *system {
	s, ok := m.systems[host]
	if !ok {
		s = &system{}
		m.systems[host] = s
	}
	return s
}
