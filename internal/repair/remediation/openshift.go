package remediation

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

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
	return r.watch(ctx, mgr, ctl, name, source.Kind[client.Object](mgr.GetCache(), scaffold.MetadataOf(openshift.Kind), handler.EnqueueRequestsFromMapFunc(r.ofMetadata)))
}

// ofMetadata maps a Machine to its open records.
func (r *Reader) ofMetadata(ctx context.Context, machine client.Object) []ctrl.Request {
	return r.openOf(ctx, machine.GetNamespace(), machine.GetUID())
}
