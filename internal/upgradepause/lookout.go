package upgradepause

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/targets"
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
	// all are those that may wait for something to be read.
	all handler.MapFunc

	mu sync.Mutex
	// since is when a kind that is watched was asked for first; zero if it has not been.
	since map[schema.GroupVersionKind]time.Time
	// indexes are added when their kind is watched.
	indexes []targets.Index
}

// newLookout makes a lookout with a cache of its own. In that of the manager one kind that may
// not be read would be enough for no controller to start: they wait for all of it.
func (r *Reconciler) newLookout(mgr ctrl.Manager, ctl controller.Controller) (*lookout, error) {
	options := cache.Options{
		HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), DefaultTransform: reduce,
	}
	if r.Namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{r.Namespace: {}}
	}
	own, err := cache.New(mgr.GetConfig(), options)
	if err != nil {
		return nil, fmt.Errorf("making a cache: %w", err)
	}
	if err := mgr.Add(warm{own}); err != nil {
		return nil, fmt.Errorf("adding a cache: %w", err)
	}
	return &lookout{cache: own, scheme: mgr.GetScheme(), ctl: ctl, clock: r.Clock, all: r.all, indexes: []targets.Index{
		{Object: &clusterv1.Machine{}, Field: machinesByCluster, Extract: clusterOfMachine},
		{Object: &corev1.Node{}, Field: nodesByMachine, Extract: machinesOfNode},
	}}, nil
}

// warm is a cache that is filled on a standby, too.
type warm struct{ cache.Cache }

func (warm) NeedLeaderElection() bool { return false }

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
	if err := l.index(ctx, gvk); err != nil {
		return err
	}
	for _, src := range []source.Source{
		&source.Informer{Informer: informer, Handler: events, Predicates: []predicate.Predicate{filter}},
		l.onceRead(informer),
	} {
		if err := l.ctl.Watch(src); err != nil {
			return fmt.Errorf("watching %s: %w", gvk.Kind, err)
		}
	}
	if l.since == nil {
		l.since = map[schema.GroupVersionKind]time.Time{}
	}
	l.since[gvk] = time.Time{}
	return nil
}

// opener returns what watches kinds, with whom their objects concern, and returns an error until they have been read.
func (l *lookout) opener(whom handler.MapFunc) opener {
	return func(ctx context.Context, obj client.Object) error {
		if err := l.watch(ctx, obj, handler.EnqueueRequestsFromMapFunc(whom), onChange(digestOf)); err != nil {
			return err
		}
		return l.ready(ctx, obj)
	}
}

// index adds the indexes of a kind, once.
func (l *lookout) index(ctx context.Context, gvk schema.GroupVersionKind) error {
	var rest []targets.Index
	for _, index := range l.indexes {
		of, err := apiutil.GVKForObject(index.Object, l.scheme)
		if err != nil {
			return fmt.Errorf("telling the kind of %T: %w", index.Object, err)
		}
		if of != gvk {
			rest = append(rest, index)
			continue
		}
		if err := targets.AddTo(ctx, l.cache, []targets.Index{index}); err != nil {
			return err
		}
	}
	l.indexes = rest
	return nil
}

// onceRead wakes up all once a kind has been read. Its objects may be none, and the events of those
// that there are come a moment too early.
func (l *lookout) onceRead(informer cache.Informer) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		go func() {
			if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				return
			}
			for _, request := range l.all(ctx, nil) {
				queue.Add(request)
			}
		}()
		return nil
	})
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
	if l.since[gvk].IsZero() {
		// The manager may have taken its time to start.
		l.since[gvk] = l.clock.Now()
	}
	if l.clock.Since(l.since[gvk]) < startTime {
		return errStarting
	}
	return fmt.Errorf("%s of %s cannot be listed: is the permission missing?", gvk.Kind, gvk.GroupVersion())
}
