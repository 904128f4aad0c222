package machinehealthcheck

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// kinds watches the kinds of templates as they appear, since only the MachineHealthChecks name them. Without a controller, as in
// tests that call Reconcile, it watches nothing.
type kinds struct {
	cache cache.Cache
	ctl   controller.Controller

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]bool

	readable sync.Map // schema.GroupVersionKind -> true
}

func (k *kinds) isReadable(gvk schema.GroupVersionKind) bool {
	_, ok := k.readable.Load(gvk)
	return ok
}

func (k *kinds) setReadable(gvk schema.GroupVersionKind) { k.readable.Store(gvk, true) }

// watchTemplates watches a kind of templates.
func (r *Reconciler) watchTemplates(gvk schema.GroupVersionKind) error {
	if r.kinds.ctl == nil {
		return nil
	}
	r.kinds.mu.Lock()
	defer r.kinds.mu.Unlock()
	if r.kinds.watched[gvk] {
		return nil
	}
	src := source.Kind[client.Object](r.kinds.cache, scaffold.MetadataOf(gvk), handler.EnqueueRequestsFromMapFunc(r.usingTemplates(gvk.GroupKind())), comesOrGoes())
	if err := r.kinds.ctl.Watch(src); err != nil {
		return fmt.Errorf("watching %s: %w", gvk.Kind, err)
	}
	if r.kinds.watched == nil {
		r.kinds.watched = map[schema.GroupVersionKind]bool{}
	}
	r.kinds.watched[gvk] = true
	return nil
}

// usingTemplates maps a template to the MachineHealthChecks that refer to it.
func (r *Reconciler) usingTemplates(kind schema.GroupKind) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		mhcs, err := mhcspec.MachineHealthChecksUsing(ctx, r.Client, kind, client.ObjectKeyFromObject(obj))
		return scaffold.RequestsFor(ctx, mhcs, err)
	}
}

// comesOrGoes keeps the events that show whether a template exists. Its content is read when a request is made from it.
func comesOrGoes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
