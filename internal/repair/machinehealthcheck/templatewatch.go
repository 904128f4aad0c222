package machinehealthcheck

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// watchTemplates watches a kind of templates.
func (r *Reader) watchTemplates(gvk schema.GroupVersionKind) error {
	return r.watches.Begin(gvk, handler.EnqueueRequestsFromMapFunc(r.usingTemplates(gvk.GroupKind())), comesOrGoes())
}

// usingTemplates maps a template to the MachineHealthChecks that refer to it.
func (r *Reader) usingTemplates(kind schema.GroupKind) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		mhcs, err := mhcspec.MachineHealthChecksUsing(ctx, r.Cache, kind, client.ObjectKeyFromObject(obj))
		return scaffold.RequestsFor(ctx, mhcs, err)
	}
}

// comesOrGoes keeps the events that show whether a template exists. Its content is read when a request is made from it.
func comesOrGoes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
