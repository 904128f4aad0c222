package upgradepause

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// startTime is how long the first list of a kind may take until it counts as unreadable.
const startTime = 10 * time.Second

// lookout watches what signals read. Unlike the usual watches it does not keep the controller, and
// with it the manager, from starting if a kind cannot be read: that is said instead. The nil
// lookout, for tests that call Reconcile, watches nothing and finds everything readable.
type lookout struct {
	cache  cache.Cache
	scheme *runtime.Scheme
	ctl    controller.Controller
	clock  clock.PassiveClock

	mu    sync.Mutex
	since map[schema.GroupVersionKind]time.Time
}

// watch begins to watch a kind. Once it does, it does nothing.
func (l *lookout) watch(ctx context.Context, obj client.Object, events handler.EventHandler, filter predicate.Predicate) error {
	if l == nil {
		return nil
	}
	gvk, err := apiutil.GVKForObject(obj, l.scheme)
	if err != nil {
		return fmt.Errorf("telling the kind of %T: %w", obj, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.since[gvk]; ok {
		return nil
	}
	informer, err := l.cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watching %s: %w", gvk.Kind, err)
	}
	src := &source.Informer{Informer: informer, Handler: events, Predicates: []predicate.Predicate{filter}}
	if err := l.ctl.Watch(src); err != nil {
		return fmt.Errorf("watching %s: %w", gvk.Kind, err)
	}
	if l.since == nil {
		l.since = map[schema.GroupVersionKind]time.Time{}
	}
	l.since[gvk] = l.clock.Now()
	return nil
}

// ready returns an error as long as a kind that is watched has not been read.
func (l *lookout) ready(ctx context.Context, obj client.Object) error {
	if l == nil {
		return nil
	}
	gvk, err := apiutil.GVKForObject(obj, l.scheme)
	if err != nil {
		return fmt.Errorf("telling the kind of %T: %w", obj, err)
	}
	informer, err := l.cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("reading %s: %w", gvk.Kind, err)
	}
	if informer.HasSynced() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clock.Since(l.since[gvk]) < startTime {
		return errStarting
	}
	return fmt.Errorf("%s of %s cannot be listed: is the permission missing?", gvk.Kind, gvk.GroupVersion())
}
