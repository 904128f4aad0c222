package externalremediation

import (
	"cmp"
	"context"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	machine := scaffold.MetadataOf(Kind)
	ctl, err := scaffold.New(mgr, ControllerName, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	err = scaffold.Watch(ctl, ControllerName,
		source.Kind(mgr.GetCache(), client.Object(machine), &handler.EnqueueRequestForObject{}),
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), handler.EnqueueRequestsFromMapFunc(ofRequest)),
	)
	if err != nil {
		return err
	}
	return mgr.Add(ctl)
}

// ofRequest maps a RebootRemediation to its Machine.
func ofRequest(_ context.Context, obj client.Object) []ctrl.Request {
	ref := obj.(*v1alpha1.RebootRemediation).Spec.Machine
	if ref == nil || ref.APIGroup != Kind.Group {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: ref.Name}}}
}
