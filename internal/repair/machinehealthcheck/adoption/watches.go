package adoption

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches. The indexes of package mhcspec must exist.
func (r *Reconciler) AddToManager(ctx context.Context, mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	ctl, err := scaffold.New(mgr, ControllerName, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	cached := mgr.GetCache()
	sources := []source.Source{
		source.Kind(cached, client.Object(&clusterv1.MachineHealthCheck{}), &handler.EnqueueRequestForObject{}, mhcspec.OutsideStatus()),
		source.Kind(cached, client.Object(&clusterv1.Cluster{}), handler.EnqueueRequestsFromMapFunc(r.ofCluster), relabelled()),
	}
	if r.Namespace == "" {
		if r.readsNamespaces, err = mayRead(ctx, mgr); err != nil {
			return err
		}
	}
	if r.readsNamespaces {
		namespace := scaffold.MetadataOf(namespaceKind)
		sources = append(sources, source.Kind(cached, client.Object(namespace), handler.EnqueueRequestsFromMapFunc(r.inNamespace), relabelled()))
	}
	return scaffold.Add(mgr, ctl, ControllerName, sources...)
}

// mayRead reports whether namespaces may be read: a cache waits for ever for a kind that it may not list. An API server that does not answer says
// nothing about that, and their labels must not be ignored until the next start.
func mayRead(ctx context.Context, mgr ctrl.Manager) (bool, error) {
	err := mgr.GetAPIReader().List(ctx, scaffold.MetadataListOf(namespaceKind), client.Limit(1))
	if apierrors.IsForbidden(err) {
		mgr.GetLogger().Error(err, "The label of namespaces hands nothing over until Sickbay may read them and is started again", "label", Label)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("finding out whether namespaces may be read: %w", err)
	}
	return true, nil
}

// relabelled passes what may change the label's value. The MachineHealthChecks of what is new or gone have events of their own.
func relabelled() predicate.Predicate {
	labelled := func(obj client.Object) bool { return obj.GetLabels()[Label] != "" }
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return labelled(e.Object) },
		DeleteFunc: func(e event.DeleteEvent) bool { return labelled(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetLabels()[Label] != e.ObjectNew.GetLabels()[Label]
		},
	}
}

// ofCluster returns the requests for the MachineHealthChecks of a Cluster.
func (r *Reconciler) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	mhcs, err := mhcspec.MachineHealthChecksOf(ctx, r.Client, client.ObjectKeyFromObject(cluster))
	return scaffold.RequestsFor(ctx, mhcs, err)
}

// inNamespace returns the requests for all MachineHealthChecks in a namespace.
func (r *Reconciler) inNamespace(ctx context.Context, namespace client.Object) []ctrl.Request {
	all := func(*clusterv1.MachineHealthCheck) bool { return true }
	return scaffold.RequestsIn(ctx, r.Client, &clusterv1.MachineHealthCheckList{}, all, client.InNamespace(namespace.GetName()))
}
