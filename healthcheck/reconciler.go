package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/lag"
)

// Reconciler is the engine: it carries out one Registration. AddToManager fills
// the fields that are nil; set them to run Reconcile directly, as tests do.
type Reconciler[T client.Object] struct {
	Registration[T]

	// Client reads the objects. The default is the manager's, which reads from
	// its cache.
	Client client.Reader
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock

	// written are our last writes, in case the cache has not seen them yet.
	written lag.Writes
	// missing are the objects that were not found when they were written, and busy those that
	// had changed when their clocks were.
	missing, busy objects
	// reworded are the objects of which a message alone was written lately.
	reworded rewordings
	// late are the calls of checks that have not returned yet although their time is over.
	late lateCalls
	// slot is taken by each check that runs.
	slot     chan struct{}
	makeSlot sync.Once
	// retry is the back-off of each object.
	retry     retries
	makeRetry sync.Once
}

// AddToManager registers the controller with mgr. It may be called before or after
// the start of the manager.
func (r *Reconciler[T]) AddToManager(mgr ctrl.Manager) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if r.Client == nil {
		r.Client = mgr.GetClient()
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	if r.Progress == nil {
		r.Progress = AnnotationProgress[T]{Client: mgr.GetClient(), Name: r.Name}
	}
	if store, ok := r.Store.(defaulting[T]); ok {
		r.Store = store.withDefaults(r.Store, mgr.GetClient(), r.Name)
	}
	options := controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: r.Concurrency,
		Logger:                  mgr.GetLogger(),
		RateLimiter:             r.rateLimiter(),
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	options.MaxConcurrentReconciles = cmp.Or(options.MaxConcurrentReconciles, DefaultConcurrency)
	ctl, err := controller.NewUnmanaged(r.Name, options)
	if err != nil {
		return fmt.Errorf("making controller %s: %w", r.Name, err)
	}
	if err := r.watch(mgr, ctl); err != nil {
		return fmt.Errorf("adding the watches of controller %s: %w", r.Name, err)
	}
	return mgr.Add(ctl)
}

// watch adds all watches before the controller can run.
func (r *Reconciler[T]) watch(mgr ctrl.Manager, ctl controller.Controller) error {
	predicates := r.Predicates
	if clocks, ok := r.Progress.(AnnotationProgress[T]); ok {
		predicates = append(slices.Clone(predicates), clocks.butOwnClocks())
	}
	objects := source.Kind(mgr.GetCache(), client.Object(r.New()), &handler.EnqueueRequestForObject{}, predicates...)
	if err := ctl.Watch(objects); err != nil {
		return err
	}
	for _, d := range r.Dependants {
		concerned := handler.EnqueueRequestsFromMapFunc(d.Owners)
		if d.Owners == nil {
			concerned = handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), r.New(), handler.OnlyControllerOwner())
		}
		if err := ctl.Watch(source.Kind(mgr.GetCache(), d.Object, concerned, d.Predicates...)); err != nil {
			return err
		}
	}
	if r.Watches == nil {
		return nil
	}
	return r.Watches(ctl)
}

// Reconcile checks one object. It returns an error if something could not be
// read or written, so that the queue tries again with back-off; conflicts are
// tried again silently.
func (r *Reconciler[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj := r.New()
	if err := r.Client.Get(ctx, req.NamespacedName, obj); err != nil {
		if apierrors.IsNotFound(err) {
			r.written.Forget(req.NamespacedName)
			r.missing.Delete(req.NamespacedName)
			r.busy.Delete(req.NamespacedName)
			r.reworded.Delete(req.NamespacedName)
			r.rateLimiter().succeeded(req)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting %s: %w", req.NamespacedName, err)
	}
	if wait := r.written.Wait(obj); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	now := r.Clock.Now()
	p, err := r.judge(ctx, r.examination(obj, r.Progress, now))
	if err != nil {
		return ctrl.Result{}, err
	}
	if later, ok := errors.AsType[*LaterError](p.failed); ok {
		return ctrl.Result{RequeueAfter: later.After}, nil
	}
	p.putOff(r.reworded.due(obj, now))
	if err := r.carryOut(ctx, obj, p); err != nil {
		return r.afterWriteFailure(obj, err)
	}
	again := requeueAfter(p.recheckAt, r.Clock.Now(), r.period())
	if p.failed != nil {
		return r.afterFailure(ctx, req, p.failed, p.recheckAt, again)
	}
	r.rateLimiter().succeeded(req)
	return ctrl.Result{RequeueAfter: again}, nil
}
