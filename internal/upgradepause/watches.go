package upgradepause

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// addController adds the watches: MachineHealthChecks as metadata, and the objects that the signals read.
func (r *Reconciler) addController(ctx context.Context, mgr ctrl.Manager) error {
	ctl, err := scaffold.New(mgr, r.name(), r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	check := scaffold.MetadataOf(r.Kind)
	if err := scaffold.Watch(ctl, r.name(), source.Kind(mgr.GetCache(), client.Object(check), &handler.EnqueueRequestForObject{}, checkChange())); err != nil {
		return err
	}
	if r.Signals == nil {
		if err := r.addSignals(ctx, mgr, ctl); err != nil {
			return fmt.Errorf("adding the watches of %s: %w", r.name(), err)
		}
	}
	return mgr.Add(ctl)
}

func (r *Reconciler) addSignals(ctx context.Context, mgr ctrl.Manager, ctl controller.Controller) error {
	kinds, err := r.newTracker(mgr, ctl)
	if err != nil {
		return err
	}
	r.selectors.kind, r.selectors.live = r.Kind, mgr.GetAPIReader()
	r.Signals = []Signal{clusterVersion{reader: kinds.cache, tracker: kinds, installed: r.ClusterVersion}}
	err = r.ClusterVersion.whenSet(func() error {
		return kinds.watch(ctx, &configv1.ClusterVersion{}, handler.EnqueueRequestsFromMapFunc(r.all), onChange())
	})
	if err != nil {
		return err
	}
	if r.Kind != ClusterAPIKind {
		return r.addPools(ctx, kinds)
	}
	signal := clusterAPI{reader: mgr.GetCache(), rollouts: kinds.cache, censuses: &r.censuses, mapper: mgr.GetRESTMapper(), open: kinds.opener(r.ofCluster)}
	r.Signals = append(r.Signals, signal)
	r.Readiness = clusterMachines{selectors: &r.selectors, reader: kinds.cache, censuses: &r.censuses, open: signal.open}
	clusters := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, cluster client.Object) []ctrl.Request {
		return r.list(ctx, client.ObjectKeyFromObject(cluster))
	})
	return ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&clusterv1.Cluster{}), clusters, onChange(),
		r.forgetDeleted(func(cluster client.Object) *corev1.ObjectReference {
			key := client.ObjectKeyFromObject(cluster)
			r.censuses.changed(key)
			return clusterReference(key)
		})))
}

// addPools adds what only OpenShift's MachineHealthChecks need.
func (r *Reconciler) addPools(ctx context.Context, kinds *tracker) error {
	machines := openshiftMachines{selectors: &r.selectors, reader: kinds.cache, open: kinds.opener(r.ofNode)}
	r.Readiness = machines
	r.Signals = append(r.Signals, machineConfigPools{reader: kinds.cache, tracker: kinds, installed: r.MachineConfigPools, nodes: machines})
	return r.MachineConfigPools.whenSet(func() error {
		return kinds.watch(ctx, &mcfgv1.MachineConfigPool{}, handler.EnqueueRequestsFromMapFunc(r.all), predicate.And(
			onChange(),
			r.forgetDeleted(func(pool client.Object) *corev1.ObjectReference { return poolReference(pool.GetName()) })))
	})
}

// forgetDeleted drops the metrics and the failures of deleted subjects, since the next one of that name is another object. It filters
// nothing.
func (r *Reconciler) forgetDeleted(subject func(client.Object) *corev1.ObjectReference) predicate.Predicate {
	return predicate.Funcs{DeleteFunc: func(e event.DeleteEvent) bool {
		gone := subject(e.Object)
		measureSignal(pause.Reading{Subject: gone, Off: true})
		r.unreadable.Succeed(client.ObjectKey{Namespace: gone.Namespace, Name: gone.Name}, gone.Kind)
		return true
	}}
}

// checkChange drops events that cannot change a decision, such as those for status writes.
func checkChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return mhcspec.IdentityChanged(e.ObjectOld, e.ObjectNew) }}
}

// onChange drops updates that change nothing that decisions depend on.
func onChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return pause.Digest(e.ObjectOld) != pause.Digest(e.ObjectNew) }}
}
