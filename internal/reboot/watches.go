package reboot

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	r.Mapper = cmp.Or(r.Mapper, mgr.GetRESTMapper())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	if err := metrics.AddWhileLeading(mgr, ControllerName, r.Metrics); err != nil {
		return err
	}
	r.places.Most = max(1, r.Concurrency/4)
	name, reads := r.name(), r.reads()
	ctl, err := scaffold.New(mgr, name, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	if err := r.wakeByNodes(ctl); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	return scaffold.Add(mgr, ctl, name,
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), &handler.EnqueueRequestForObject{}),
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), handler.EnqueueRequestsFromMapFunc(reads.waiting)),
		source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(HostKind), handler.EnqueueRequestsFromMapFunc(reads.ofHost)),
		source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(r.Kind), handler.EnqueueRequestsFromMapFunc(reads.ofMachine)),
	)
}

// name returns the name of the controller in logs and metrics.
func (r *Reconciler) name() string {
	if r.Kind == OpenShiftKind {
		return ControllerName + "-openshift"
	}
	return ControllerName
}

// ofHost maps a host to the RebootRemediations that cycle it, or have no host yet.
func (r reader) ofHost(ctx context.Context, host client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, host.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return request.Status.Host == nil || request.Status.Host.Name == host.GetName()
	})
}

// ofMachine maps a Machine to its RebootRemediations.
func (r reader) ofMachine(ctx context.Context, machine client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, machine.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return *request.Spec.Machine == v1alpha1.MachineReference{APIGroup: r.kind.Group, Name: machine.GetName()}
	})
}

// waiting maps a RebootRemediation to those that may be waiting for it, and to earlier ones of the same Machine whose Node it may
// have taken over.
func (r reader) waiting(ctx context.Context, changed client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, changed.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return request.Name != changed.GetName() && (request.Status.Phase == v1alpha1.Pending || mayTakeOver(changed.(*v1alpha1.RebootRemediation), request))
	})
}

// mayTakeOver reports whether a RebootRemediation may take over from a cycle that has ended and owes its Node something.
func mayTakeOver(later, before *v1alpha1.RebootRemediation) bool {
	return IsCycle(later) && *later.Spec.Machine == *before.Spec.Machine && before.Status.Phase.Ended() && cycle.OwesNode(&before.Status)
}

// rebootsIn returns the requests to reconcile those cycles of a namespace that an event concerns.
func (r reader) rebootsIn(ctx context.Context, namespace string, concerned func(*v1alpha1.RebootRemediation) bool) []ctrl.Request {
	of := func(request *v1alpha1.RebootRemediation) bool { return IsCycle(request) && concerned(request) }
	return scaffold.RequestsIn(ctx, r.cached, &v1alpha1.RebootRemediationList{}, of, client.InNamespace(namespace))
}
