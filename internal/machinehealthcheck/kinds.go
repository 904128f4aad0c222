package machinehealthcheck

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// kinds watches the kinds of templates as they come up: which they are is only known
// from the MachineHealthChecks. Without a controller, as in tests that call
// Reconcile, it watches nothing.
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
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(gvk)
	src := source.Kind(r.kinds.cache, client.Object(obj), handler.EnqueueRequestsFromMapFunc(r.usingTemplates(gvk)))
	if err := r.kinds.ctl.Watch(src); err != nil {
		return fmt.Errorf("watching %s: %w", gvk.Kind, err)
	}
	if r.kinds.watched == nil {
		r.kinds.watched = map[schema.GroupVersionKind]bool{}
	}
	r.kinds.watched[gvk] = true
	return nil
}

// usingTemplates maps a template to the MachineHealthChecks in its namespace that refer to its kind. Both are rare.
func (r *Reconciler) usingTemplates(gvk schema.GroupVersionKind) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		var list clusterv1.MachineHealthCheckList
		if err := r.Client.List(ctx, &list, client.InNamespace(obj.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "Cannot find the MachineHealthChecks that an event concerns")
			return nil
		}
		var requests []ctrl.Request
		for i := range list.Items {
			ref := list.Items[i].Spec.Remediation.TemplateRef
			if ref.IsDefined() && ref.GroupVersionKind() == gvk {
				requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
			}
		}
		return requests
	}
}
