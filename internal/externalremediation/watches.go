package externalremediation

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	if r.Client == nil {
		r.Client = mgr.GetClient()
	}
	if r.Live == nil {
		r.Live = mgr.GetAPIReader()
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	if r.Recorder == nil {
		r.Recorder = mgr.GetEventRecorder(ControllerName)
	}
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(Kind)
	return ctrl.NewControllerManagedBy(mgr).Named(ControllerName).
		For(machine, builder.OnlyMetadata).
		Watches(&v1alpha1.RebootRemediation{}, handler.EnqueueRequestsFromMapFunc(ofRequest)).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.Concurrency}).
		Complete(r)
}

// ofRequest maps a RebootRemediation to its Machine.
func ofRequest(_ context.Context, obj client.Object) []ctrl.Request {
	ref := obj.(*v1alpha1.RebootRemediation).Spec.Machine
	if ref == nil || ref.APIGroup != Kind.Group {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: ref.Name}}}
}
