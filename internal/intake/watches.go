package intake

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
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	name := ControllerName
	if r.Kind == openshift.Kind {
		name += "-openshift"
	}
	ctl, err := scaffold.New(mgr, name, r, r.Concurrency, nil)
	if err != nil {
		return err
	}
	if err := r.reads().wakeByCluster(mgr, ctl); err != nil {
		return fmt.Errorf("adding the watches of %s: %w", name, err)
	}
	return scaffold.Add(mgr, ctl, name,
		source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(r.Kind), &handler.EnqueueRequestForObject{}),
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.RebootRemediation{}), handler.EnqueueRequestsFromMapFunc(r.reads().ofRequest)),
		source.Kind(mgr.GetCache(), client.Object(&v1alpha1.MachineRemediation{}), handler.EnqueueRequestsFromMapFunc(r.reads().ofRecord)),
	)
}

// ofRequest maps a RebootRemediation that asks for a power cycle to its Machine.
func (r reader) ofRequest(_ context.Context, obj client.Object) []ctrl.Request {
	request := obj.(*v1alpha1.RebootRemediation)
	if request.Spec.RequestedBy.ForRecord() {
		return nil
	}
	return r.machineNamed(ask.MachineOf(request), obj.GetNamespace())
}

// ofRecord maps a record that somebody asked for to its Machine.
func (r reader) ofRecord(_ context.Context, obj client.Object) []ctrl.Request {
	spec := &obj.(*v1alpha1.MachineRemediation).Spec
	if !spec.AskedFor() {
		return nil
	}
	return r.machineNamed(v1alpha1.MachineReference{APIGroup: spec.MachineRef.APIGroup, Name: spec.MachineRef.Name}, obj.GetNamespace())
}

func (r reader) machineNamed(ref v1alpha1.MachineReference, namespace string) []ctrl.Request {
	if ref.APIGroup != r.kind.Group {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: ref.Name}}}
}
