package scaffold

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Watches are the watches of kinds that only objects name, so they begin while the controller runs. Without a controller, as in tests
// that call Reconcile, none begins. Its methods may be called side by side.
type Watches struct {
	Cache      cache.Cache
	Controller controller.Controller
	// Mapper knows the kinds that the API server has.
	Mapper meta.RESTMapper

	mu    sync.Mutex
	begun map[schema.GroupVersionKind]bool
}

// Lack reports whether a kind should be watched, but is not yet.
func (w *Watches) Lack(kind schema.GroupVersionKind) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Controller != nil && !w.begun[kind]
}

// syncTimeout is how long a cache may take to read a kind for the first time.
const syncTimeout = 10 * time.Second

// Sync has the cache read all objects of a kind, so that no event is missed of one that is read after that. If it takes too long, nobody waits for
// it. Without a controller, it does nothing.
func (w *Watches) Sync(ctx context.Context, kind schema.GroupVersionKind) {
	if w.Cache == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	_, _ = w.Cache.GetInformer(ctx, MetadataOf(kind))
}

// Begin watches the metadata of a kind, once. The cache waits for ever for a kind that it may not list, so find out first whether it may.
func (w *Watches) Begin(kind schema.GroupVersionKind, handle handler.EventHandler, predicates ...predicate.Predicate) error {
	return w.BeginAs(kind, MetadataOf(kind), handle, predicates...)
}

// BeginAs watches a kind as objects of a type, once: the cache may have them anyway.
func (w *Watches) BeginAs(kind schema.GroupVersionKind, obj client.Object, handle handler.EventHandler, predicates ...predicate.Predicate) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Controller == nil || w.begun[kind] {
		return nil
	}
	if err := w.Controller.Watch(source.Kind(w.Cache, obj, handle, predicates...)); err != nil {
		return fmt.Errorf("watching %s: %w", kind.Kind, err)
	}
	if w.begun == nil {
		w.begun = map[schema.GroupVersionKind]bool{}
	}
	w.begun[kind] = true
	return nil
}

// End forgets a kind without a Go type that is served no more, with all objects that the cache has.
func (w *Watches) End(ctx context.Context, kind schema.GroupVersionKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.begun, kind)
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	_ = w.Cache.RemoveInformer(ctx, obj) // it fails only for objects without a kind
}
