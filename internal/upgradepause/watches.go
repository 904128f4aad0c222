package upgradepause

import (
	"cmp"
	"context"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
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
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// AddToManager registers the controller and the watch on MachineHealthChecks, as metadata. What the signals read is watched once they need it.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.reader, r.writer.Writer = reader{mgr.GetClient(), r.Kind}, mgr.GetClient()
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.ClusterVersion = cmp.Or(r.ClusterVersion, &Installed{})
	r.MachineConfigPools = cmp.Or(r.MachineConfigPools, &Installed{})
	ctl, err := scaffold.New(mgr, r.name(), r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	read := &kinds{
		watches: scaffold.Watches{Cache: mgr.GetCache(), Controller: ctl, Mapper: mgr.GetRESTMapper()}, live: mgr.GetAPIReader(), scheme: mgr.GetScheme(),
		namespace: r.Namespace, clock: r.Clock, whom: r.reader.concernedBy, filter: r.onChange(),
	}
	r.readFrom(sources{mgr.GetCache(), mgr.GetAPIReader(), mgr.GetRESTMapper(), read.open})
	for _, kind := range []*Installed{r.ClusterVersion, r.MachineConfigPools} {
		kind.whenSet(func() error { return ctl.Watch(source.Func(r.reader.enqueueAll)) })
	}
	check := scaffold.MetadataOf(r.Kind)
	return scaffold.Add(mgr, ctl, r.name(), source.Kind(mgr.GetCache(), client.Object(check), &handler.EnqueueRequestForObject{}, checkChange()))
}

// concernedBy maps an object that the signals read to the MachineHealthChecks that it concerns.
func (r reader) concernedBy(ctx context.Context, obj client.Object) []ctrl.Request {
	switch obj.(type) {
	case *configv1.ClusterVersion, *mcfgv1.MachineConfigPool:
		return r.all(ctx)
	case *corev1.Node, *metav1.PartialObjectMetadata:
		return r.ofNode(ctx, obj)
	}
	return r.ofCluster(ctx, obj)
}

// enqueueAll is a source that wakes up all MachineHealthChecks, once.
func (r reader) enqueueAll(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	for _, request := range r.all(ctx) {
		queue.Add(request)
	}
	return nil
}

// checkChange drops events that cannot change a decision, such as those for status writes.
func checkChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return mhcspec.IdentityChanged(e.ObjectOld, e.ObjectNew) }}
}

// onChange drops updates that change nothing that decisions depend on. It also drops the metrics and the failures of deleted subjects, since the next
// one of that name is another object.
func (r *Reconciler) onChange() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool { return !pause.Same(e.ObjectOld, e.ObjectNew) },
		DeleteFunc: func(e event.DeleteEvent) bool {
			switch gone := e.Object.(type) {
			case *clusterv1.Cluster:
				r.forgetSubject(clusterReference(client.ObjectKeyFromObject(gone)))
			case *mcfgv1.MachineConfigPool:
				r.forgetSubject(poolReference(gone.Name))
			}
			return true
		},
	}
}

func (r *Reconciler) forgetSubject(gone *corev1.ObjectReference) {
	measureSignal(pause.Reading{Subject: gone, Off: true})
	r.unreadable.Succeed(client.ObjectKey{Namespace: gone.Namespace, Name: gone.Name}, gone.Kind)
}
