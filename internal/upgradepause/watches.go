package upgradepause

import (
	"cmp"
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
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

// AddToManager registers the controller and its watches: MachineHealthChecks as metadata, and the objects that the signals read.
func (r *Reconciler) AddToManager(ctx context.Context, mgr ctrl.Manager) error {
	r.reader, r.writer.Writer = reader{mgr.GetClient(), r.Kind}, mgr.GetClient()
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.ClusterVersion = cmp.Or(r.ClusterVersion, &Installed{})
	r.MachineConfigPools = cmp.Or(r.MachineConfigPools, &Installed{})
	ctl, err := scaffold.New(mgr, r.name(), r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	if r.Signals == nil {
		if err := r.addSignals(ctx, mgr, ctl); err != nil {
			return fmt.Errorf("adding the watches of %s: %w", r.name(), err)
		}
	}
	check := scaffold.MetadataOf(r.Kind)
	return scaffold.Add(mgr, ctl, r.name(), source.Kind(mgr.GetCache(), client.Object(check), &handler.EnqueueRequestForObject{}, checkChange()))
}

func (r *Reconciler) addSignals(ctx context.Context, mgr ctrl.Manager, ctl controller.Controller) error {
	kinds, err := r.newTracker(mgr, ctl)
	if err != nil {
		return err
	}
	open := kinds.opener(r.reader.ofCluster)
	if r.Kind == OpenShiftKind {
		open = kinds.opener(r.reader.ofNode)
	}
	r.readFrom(sources{cached: mgr.GetCache(), tracked: kinds.cache, live: mgr.GetAPIReader(), mapper: mgr.GetRESTMapper(), tracker: kinds, open: open})
	err = r.ClusterVersion.whenSet(func() error {
		return kinds.watch(ctx, &configv1.ClusterVersion{}, handler.EnqueueRequestsFromMapFunc(r.reader.all), onChange())
	})
	if err != nil {
		return err
	}
	if r.Kind == OpenShiftKind {
		return r.watchPools(ctx, kinds)
	}
	return ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&clusterv1.Cluster{}), handler.EnqueueRequestsFromMapFunc(r.reader.ofCluster), onChange(),
		r.forgetDeleted(func(cluster client.Object) *corev1.ObjectReference {
			return clusterReference(client.ObjectKeyFromObject(cluster))
		})))
}

func (r *Reconciler) watchPools(ctx context.Context, kinds *tracker) error {
	return r.MachineConfigPools.whenSet(func() error {
		return kinds.watch(ctx, &mcfgv1.MachineConfigPool{}, handler.EnqueueRequestsFromMapFunc(r.reader.all), predicate.And(
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
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return !pause.Same(e.ObjectOld, e.ObjectNew) }}
}
