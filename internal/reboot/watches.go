package reboot

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
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
	name := r.name()
	ctl, err := scaffold.New(mgr, name, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	if err := r.wakeByNodes(ctl); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	if err := r.wakeByPauses(mgr, ctl); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	if err := wakeByFilter(mgr, ctl, r.Kind, r.WatchFilter, r.ofLabelled); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	err = scaffold.Watch(ctl, name,
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), &handler.EnqueueRequestForObject{}),
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), handler.EnqueueRequestsFromMapFunc(r.waiting)),
		source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(HostKind), handler.EnqueueRequestsFromMapFunc(r.ofHost)),
		source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(r.Kind), handler.EnqueueRequestsFromMapFunc(r.ofMachine)),
	)
	if err != nil {
		return err
	}
	return mgr.Add(ctl)
}

// wakeByPauses wakes the controller when a pause ends. There is no watch on OpenShift's MachineHealthChecks; for those, the
// controller polls.
func (r *Reconciler) wakeByPauses(mgr ctrl.Manager, ctl controller.Controller) error {
	if r.Kind == OpenShiftKind {
		return nil
	}
	for _, obj := range []client.Object{&clusterv1.Cluster{}, &clusterv1.MachineHealthCheck{}} {
		metadata := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{})
		if err := ctl.Watch(source.Kind(mgr.GetCache(), obj, handler.EnqueueRequestsFromMapFunc(r.ofPause), metadata)); err != nil {
			return err
		}
	}
	return nil
}

// name returns the name of the controller in logs and metrics.
func (r *Reconciler) name() string {
	if r.Kind == OpenShiftKind {
		return ControllerName + "-openshift"
	}
	return ControllerName
}

// AddToManager registers the controller and its watches.
func (r *AnnotationReconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	name := "reboot-annotation-" + r.Kind.Group
	ctl, err := scaffold.New(mgr, name, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	if err := wakeByFilter(mgr, ctl, r.Kind, r.WatchFilter, r.ofLabelled); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	// The end of one RebootRemediation may let the next one begin.
	requests := source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), handler.EnqueueRequestsFromMapFunc(r.ofRequest))
	if err := scaffold.Watch(ctl, name, source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(r.Kind), &handler.EnqueueRequestForObject{}), requests); err != nil {
		return err
	}
	return mgr.Add(ctl)
}

// ofRequest maps a RebootRemediation to its Machine.
func (r *AnnotationReconciler) ofRequest(_ context.Context, request client.Object) []ctrl.Request {
	ref := referenceOf(request.(*v1alpha1.RebootRemediation))
	if ref.APIGroup != r.Kind.Group {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: request.GetNamespace(), Name: ref.Name}}}
}

// ofHost maps a host to the RebootRemediations that cycle it, or have no host yet.
func (r *Reconciler) ofHost(ctx context.Context, host client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, host.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return request.Status.Host == nil || request.Status.Host.Name == host.GetName()
	})
}

// ofMachine maps a Machine to its RebootRemediation.
func (r *Reconciler) ofMachine(ctx context.Context, machine client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, machine.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return referenceOf(request) == v1alpha1.MachineReference{APIGroup: r.Kind.Group, Name: machine.GetName()}
	})
}

// waiting maps a RebootRemediation to those that may be waiting for it, and to earlier ones of the same Machine whose Node it may
// have taken over.
func (r *Reconciler) waiting(ctx context.Context, changed client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, changed.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool {
		return request.Name != changed.GetName() && (request.Status.Phase == v1alpha1.Pending || mayTakeOver(changed, request))
	})
}

// mayTakeOver reports whether an object may take over from a RebootRemediation that has ended and owes its Node something, or that
// stands back.
func mayTakeOver(changed client.Object, before *v1alpha1.RebootRemediation) bool {
	later, ok := changed.(*v1alpha1.RebootRemediation)
	waits := cycle.StandsBack(&before.Status) || (before.Status.Phase.Ended() && cycle.OwesNode(&before.Status))
	return ok && waits && referenceOf(later) == referenceOf(before)
}

// rebootsIn returns the requests to reconcile those RebootRemediations of a namespace that an event concerns.
func (r *Reconciler) rebootsIn(ctx context.Context, namespace string, concerned func(*v1alpha1.RebootRemediation) bool) []ctrl.Request {
	return scaffold.RequestsIn(ctx, r.Client, &v1alpha1.RebootRemediationList{}, concerned, client.InNamespace(namespace))
}
