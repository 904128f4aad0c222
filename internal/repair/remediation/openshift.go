package remediation

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// addForOpenShift adds the controller for the records of OpenShift's Machines. No event says that such a Machine has become healthy, or that its
// health check is not paused any more; it looks again every minute.
func (r *Reconciler) addForOpenShift(ctx context.Context, mgr ctrl.Manager) error {
	const name = ControllerName + "-openshift"
	ctl, err := scaffold.New(mgr, name, r, max(1, r.Concurrency), nil)
	if err != nil {
		return err
	}
	objects := mgr.GetCache()
	r.watches.Cache, r.watches.Controller, r.watches.Mapper = objects, ctl, mgr.GetRESTMapper()
	err = scaffold.Watch(ctl, name,
		source.Kind(objects, client.Object(&v1alpha1.MachineRemediation{}), &handler.EnqueueRequestForObject{}, mhcspec.OutsideStatus()),
		source.Kind(objects, client.Object(&v1alpha1.MachineRemediation{}), handler.EnqueueRequestsFromMapFunc(r.besideRecord), mhcspec.OutsideStatus()),
		source.Kind[client.Object](objects, scaffold.MetadataOf(openshift.Kind), handler.EnqueueRequestsFromMapFunc(r.ofMetadata)),
	)
	if err != nil {
		return err
	}
	if err := cacheCycles(ctx, objects); err != nil {
		return err
	}
	return mgr.Add(ctl)
}

// ofMetadata maps a Machine to its open records.
func (r *Reader) ofMetadata(ctx context.Context, machine client.Object) []ctrl.Request {
	return r.openOf(ctx, machine.GetNamespace(), machine.GetUID())
}
