package upgradepause

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// startTime is how long the first list of a kind may take until it counts as unreadable.
const startTime = 10 * time.Second

// opener watches a kind, and returns an error until it has been read.
type opener func(ctx context.Context, obj client.Object) error

// tracker watches the kinds that signals read. Unlike the usual watches, it lets the controller and the manager start
// if a kind cannot be read, and reports that instead. The nil tracker, for tests that call Reconcile, watches nothing
// and finds everything readable.
type tracker struct {
	cache  cache.Cache
	scheme *runtime.Scheme
	ctl    controller.Controller
	clock  clock.PassiveClock
	// all returns everything that may be waiting for a kind to be read.
	all handler.MapFunc

	mu sync.Mutex
	// since is when ready was first called for a watched kind; zero if it was not.
	since map[schema.GroupVersionKind]time.Time
}

// watch starts watching a kind, unless it is watched already.
func (t *tracker) watch(ctx context.Context, obj client.Object, events handler.EventHandler, filter predicate.Predicate) error {
	if t == nil {
		return nil
	}
	gvk, err := apiutil.GVKForObject(obj, t.scheme)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.since[gvk]; ok {
		return nil
	}
	informer, err := t.cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watching %s: %w", gvk.Kind, err)
	}
	if err := t.index(ctx, obj); err != nil {
		return fmt.Errorf("indexing %s: %w", gvk.Kind, err)
	}
	for _, src := range []source.Source{
		&source.Informer{Informer: informer, Handler: events, Predicates: []predicate.Predicate{filter}},
		t.onceRead(informer),
	} {
		if err := t.ctl.Watch(src); err != nil {
			return fmt.Errorf("watching %s: %w", gvk.Kind, err)
		}
	}
	if t.since == nil {
		t.since = map[schema.GroupVersionKind]time.Time{}
	}
	t.since[gvk] = time.Time{}
	return nil
}

// opener returns a function that watches a kind and returns an error until it has been read. whom maps its objects to
// MachineHealthChecks.
func (t *tracker) opener(whom handler.MapFunc) opener {
	return func(ctx context.Context, obj client.Object) error {
		if err := t.watch(ctx, obj, handler.EnqueueRequestsFromMapFunc(whom), onChange()); err != nil {
			return err
		}
		return t.ready(ctx, obj)
	}
}

// index adds the index of a kind, if it has one.
func (t *tracker) index(ctx context.Context, obj client.Object) error {
	for _, index := range Indexes() {
		if reflect.TypeOf(index.Object) == reflect.TypeOf(obj) {
			return t.cache.IndexField(ctx, obj, index.Field, index.Extract)
		}
	}
	return nil
}

// onceRead wakes up all once a kind has been read. There may be no objects, and the events of existing ones come a
// moment too early.
func (t *tracker) onceRead(informer cache.Informer) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		go func() {
			if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				return
			}
			for _, request := range t.all(ctx, nil) {
				queue.Add(request)
			}
		}()
		return nil
	})
}

// ready returns an error until a watched kind has been read.
func (t *tracker) ready(ctx context.Context, obj client.Object) error {
	if t == nil {
		return nil
	}
	gvk, err := apiutil.GVKForObject(obj, t.scheme)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	informer, err := t.cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("reading %s: %w", gvk.Kind, err)
	}
	if informer.HasSynced() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since[gvk].IsZero() {
		// The clock starts here because the manager may have taken a while to start.
		t.since[gvk] = t.clock.Now()
	}
	if t.clock.Since(t.since[gvk]) < startTime {
		return pause.ErrStarting
	}
	return fmt.Errorf("%s of %s cannot be listed: is the permission missing?", gvk.Kind, gvk.GroupVersion())
}
