package world

import (
	"context"
	"path/filepath"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/world/metal"
)

// metalCRDs returns the directories with the definitions of the operator and of the infrastructure provider.
func metalCRDs() ([]string, error) {
	operator, err := baremetal.CRDDir()
	if err != nil {
		return nil, err
	}
	return []string{operator, filepath.Join(sourceDir(), "metal3.yaml")}, nil
}

// startMetal adds hosts and the controllers that manage them.
func (w *World) startMetal(ctx, lifetime context.Context, mgr ctrl.Manager) error {
	hosts, err := metal.Start(ctx, lifetime, mgr, w.config, w.client)
	if err != nil {
		return err
	}
	w.metal = hosts
	w.onStop(func(context.Context) error { return hosts.Close() })
	return nil
}

// Host returns the machine behind a BareMetalHost.
func (w *World) Host(key client.ObjectKey) *baremetal.Host { return w.metal.Host(key) }

// HasMetal reports whether the world can have hosts.
func (w *World) HasMetal() bool { return w.metal != nil }

// Hang stops everything that runs on a host until its next boot, or in every boot if always is set. The host keeps
// its power. Wake ends it.
func (w *World) Hang(host client.ObjectKey, always bool) { w.metal.Hang(host, always) }

// Wake resumes the system of a host that hangs.
func (w *World) Wake(host client.ObjectKey) { w.metal.Wake(host) }

// Views returns what a host saw of its Node in each boot.
func (w *World) Views(host client.ObjectKey) []metal.View { return w.metal.Views(host) }
