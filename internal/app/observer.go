package app

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Observer sees a fleet as the manager does, through the same caches, and changes nothing: it has no controllers.
type Observer struct {
	Fleet *fleet.Observer

	mgr   ctrl.Manager
	ready *readiness
}

// NewObserver makes an observer that reads as the user of cfg. If something essential may not be read or is not installed, the
// error says so.
func NewObserver(ctx context.Context, cfg *rest.Config, o Options) (*Observer, error) {
	o.Controllers, o.LeaderElect = nil, false
	// An observer has no metrics that could collide with another one's.
	o.SkipNameValidation = true
	o.HealthProbeBindAddress, o.MetricsBindAddress, o.PprofBindAddress = "0", "0", "0"
	mgr, err := newManager(cfg, o)
	if err != nil {
		return nil, err
	}
	ob := &Observer{mgr: mgr, ready: &readiness{cache: mgr.GetCache()}}
	for _, kind := range []string{"Cluster", "Machine", "MachineHealthCheck"} {
		if err := ob.listable(ctx, clusterv1.GroupVersion.WithKind(kind), o.Namespace); err != nil {
			return nil, err
		}
	}
	return ob, ob.add(ctx, o)
}

// add wires the observers of the manager's controllers.
func (ob *Observer) add(ctx context.Context, o Options) error {
	c := &clusterAPI{options: o, ready: ob.ready, connections: &connections{}}
	if err := c.addHealth(ctx, ob.mgr); err != nil {
		return err
	}
	if ob.listable(ctx, v1alpha1.GroupVersion.WithKind("MachineRemediation"), o.Namespace) == nil {
		if err := c.addRecords(ctx, ob.mgr); err != nil {
			return err
		}
	}
	if ob.listable(ctx, reboot.HostKind, o.Namespace) == nil {
		if err := c.addHosts(ctx, ob.mgr); err != nil {
			return err
		}
	}
	ob.Fleet = c.newFleet(ob.mgr)
	ob.Fleet.AskManagers = true
	return nil
}

// listable tries one list request at the API server, since a cache waits for ever for a kind that it may not list.
func (ob *Observer) listable(ctx context.Context, gvk schema.GroupVersionKind, namespace string) error {
	err := ob.mgr.GetAPIReader().List(ctx, scaffold.MetadataListOf(gvk), client.InNamespace(namespace), client.Limit(1))
	switch {
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return fmt.Errorf("the kind %s of %s is not installed in this cluster", gvk.Kind, gvk.Group)
	case apierrors.IsForbidden(err) && namespace == "":
		return fmt.Errorf("you may not list the %ss of all namespaces. The ClusterRole sickbay-dashboard permits it", gvk.Kind)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not list the %ss of namespace %s. The ClusterRole sickbay-dashboard permits it", gvk.Kind, namespace)
	case err != nil:
		return fmt.Errorf("listing %s: %w", gvk.Kind, err)
	}
	return nil
}

// Run runs the caches until ctx ends.
func (ob *Observer) Run(ctx context.Context) error {
	if err := ob.mgr.Start(ctx); err != nil {
		return fmt.Errorf("reading the management cluster: %w", err)
	}
	return nil
}

// Ready returns an error until the caches are filled.
func (ob *Observer) Ready(ctx context.Context) error { return ob.ready.check(ctx) }
