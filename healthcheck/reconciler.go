package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/contest"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/looks"
)

// Reconciler is the engine: it carries out one Registration. SetupWithManager fills the fields that are nil; set them to
// call Reconcile directly, as tests do.
type Reconciler[T client.Object] struct {
	Registration[T]

	// Client reads the objects. The default is the manager's client, which reads from its cache.
	Client client.Reader
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock

	// managed says that a manager runs the controller. Only then do events and timers lead to looks.
	managed bool
	// looks knows what led to each look, and writes which events are those of our own writes.
	looks  looks.Log
	writes looks.Writes
	// expectations are our last writes, which the cache may not show yet.
	expectations controllerstate.Expectations
	// contests are about conditions that somebody else writes, too.
	contests contest.Contests
	// contested are the types and writers that were logged.
	contested sync.Map
	// missing are the objects that were not found when their conditions were written, and busy those that had changed
	// when their clocks were written.
	missing, busy objects
	// reworded are the objects with recent writes that changed only words.
	reworded rewordings
	// results are the last results of checks with an Interval.
	results lastResults
	// tally counts the conditions of the objects, for the gauges. addGauges creates it.
	tally     *tally
	addGauges sync.Once
	// hung are the calls that have not returned although their timeout has passed. previewed are those of Evaluate,
	// whose caller may have given up much earlier.
	hung, previewed hungCalls
	// slot is a semaphore that each running check holds.
	slot     chan struct{}
	makeSlot sync.Once
	// retry holds the back-off of each object.
	retry     retries
	makeRetry sync.Once
}

// SetupWithManager validates the registration, fills in defaults and adds the controller to mgr. Call it before or after
// the manager starts, and once.
func (r *Reconciler[T]) SetupWithManager(mgr ctrl.Manager) error {
	if mgr == nil {
		return fmt.Errorf("registration %q has no manager to be added to: the manager is nil", r.Name)
	}
	if err := r.Validate(); err != nil {
		return err
	}
	release, err := r.claim(mgr)
	if err != nil {
		return err
	}
	if err := r.setUp(mgr, release); err != nil {
		release()
		return err
	}
	return nil
}

// setUp adds the controller, and gives its claims back when the manager ends.
func (r *Reconciler[T]) setUp(mgr ctrl.Manager, release func()) error {
	r.complete(mgr)
	options := controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: r.MaxConcurrentReconciles,
		Logger:                  mgr.GetLogger(),
		RateLimiter:             r.rateLimiter(),
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	options.MaxConcurrentReconciles = cmp.Or(options.MaxConcurrentReconciles, defaultConcurrency)
	options.NewQueue = r.looks.Noting(r.queue(options))
	ctl, err := controller.NewUnmanaged(r.Name, options)
	if err != nil {
		return fmt.Errorf("making controller %s: %w", r.Name, err)
	}
	if err := r.watch(mgr, ctl); err != nil {
		return fmt.Errorf("adding the watches of controller %s: %w", r.Name, err)
	}
	if err := mgr.Add(ctl); err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		defer release()
		return r.removeGaugesAtEnd(ctx)
	}))
}

// complete fills in what the manager provides.
func (r *Reconciler[T]) complete(mgr ctrl.Manager) {
	if r.Client == nil {
		r.Client = mgr.GetClient()
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	if r.Progress == nil {
		r.Progress = AnnotationProgress[T]{Client: mgr.GetClient(), Name: r.Name, FormerNames: r.FormerNames}
	}
	r.Store = withDefaults(r.store(), storeDefaults{mgr.GetClient(), r.Name, r.FormerNames})
	r.managed = true
}

// queue returns what makes the queue: NewQueue, or else what controller-runtime would take.
func (r *Reconciler[T]) queue(options controller.Options) looks.NewQueue {
	if r.NewQueue != nil {
		return r.NewQueue
	}
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		if ptr.Deref(options.UsePriorityQueue, true) {
			return priorityqueue.New(name, func(o *priorityqueue.Opts[ctrl.Request]) {
				o.Log, o.RateLimiter = options.Logger.WithValues("controller", name), limiter
			})
		}
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[ctrl.Request]{Name: name})
	}
}

// watch adds all watches, before the controller can run.
func (r *Reconciler[T]) watch(mgr ctrl.Manager, ctl controller.Controller) error {
	predicates := []predicate.Predicate{r.butOwnWrites()}
	for _, p := range r.Predicates {
		predicates = append(predicates, orGone(p))
	}
	objects := source.Kind(mgr.GetCache(), client.Object(r.newObject()), &handler.EnqueueRequestForObject{}, predicates...)
	if err := ctl.Watch(objects); err != nil {
		return err
	}
	for _, d := range r.Watches {
		concerned := handler.EnqueueRequestsFromMapFunc(d.Map)
		if d.Map == nil {
			concerned = handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), r.newObject(), handler.OnlyControllerOwner())
		}
		if err := ctl.Watch(source.Kind(mgr.GetCache(), d.Object, concerned, d.Predicates...)); err != nil {
			return err
		}
	}
	if r.MoreWatches == nil {
		return nil
	}
	return r.MoreWatches(ctl)
}

// Reconcile checks one object. It returns an error if something could not be read or written, so that the queue
// retries with back-off. It retries conflicts silently. Under a manager, it looks at an object no sooner than MinInterval
// after the last look.
func (r *Reconciler[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if r.Client == nil {
		return ctrl.Result{}, fmt.Errorf("registration %q has no Client to read objects with: set it, or call SetupWithManager", r.Name)
	}
	if !r.managed {
		_, onTimer := looks.TimerOf(ctx)
		result, err := r.look(ctx, req, looks.Look{Timer: onTimer})
		return result, retried(err)
	}
	begun, wait := r.looks.Begin(req.NamespacedName, clock.RealClock{}.Now(), r.floor())
	if wait > 0 {
		return ctrl.Result{RequeueAfter: r.looks.Ask(req.NamespacedName, wait)}, nil
	}
	result, err := r.look(ctx, req, begun)
	if err == nil && result.RequeueAfter > 0 {
		r.looks.Ask(req.NamespacedName, result.RequeueAfter)
	}
	return result, retried(err)
}

func (r *Reconciler[T]) look(ctx context.Context, req ctrl.Request, begun looks.Look) (ctrl.Result, error) {
	obj := r.newObject()
	if err := r.Client.Get(ctx, req.NamespacedName, obj); err != nil {
		if apierrors.IsNotFound(err) {
			r.forget(req)
			return ctrl.Result{}, nil
		}
		r.looks.Undo(req.NamespacedName, begun)
		return ctrl.Result{}, fmt.Errorf("getting %s: %w", req.NamespacedName, err)
	}
	now := r.Clock.Now()
	if wait := r.expectations.Wait(obj, now); wait > 0 {
		r.looks.Undo(req.NamespacedName, begun)
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	run := r.newRun(obj, r.Progress, &r.hung, now)
	run.kept, run.counts = r.results.load(obj)
	run.timer = begun.Timer
	run.pace, _ = looks.TimerOf(ctx)
	r.noticeOverwritten(ctx, obj, now)
	run.yields, run.yieldsUntil = r.contests.Yields(obj, now)
	seen, err := r.observe(ctx, run)
	if err != nil {
		r.looks.Undo(req.NamespacedName, begun)
		return ctrl.Result{}, err
	}
	p := r.decideOn(ctx, run, seen)
	r.results.store(obj, p.kept, p.counts)
	p.putOff(r.reworded.lately(obj, now))
	if err := r.carryOut(ctx, obj, p); err != nil {
		return r.afterWriteFailure(obj, errors.Join(err, r.withoutClocks(ctx, run, seen, err)))
	}
	if r.managed && r.isReadBack(seen.stored, p) {
		r.looks.Event(req.NamespacedName)
	}
	r.tallyConditions(req.NamespacedName, p.apply)
	due := p.due(r.Clock.Now())
	if r.looks.Pending(req.NamespacedName) {
		due = Earliest(due, now)
	}
	again := requeueAfter(due, r.Clock.Now(), run.spread(r.period()), r.floor())
	if p.failed != nil {
		return r.afterFailure(ctx, req, p.failed, due, again)
	}
	if p.later == nil {
		r.rateLimiter().succeeded(req)
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// forget drops everything that is kept for an object that is gone.
func (r *Reconciler[T]) forget(req ctrl.Request) {
	r.looks.Forget(req.NamespacedName)
	r.writes.Forget(req.NamespacedName)
	r.contests.Forget(req.NamespacedName)
	r.expectations.Forget(req.NamespacedName)
	r.missing.Delete(req.NamespacedName)
	r.busy.Delete(req.NamespacedName)
	r.reworded.Delete(req.NamespacedName)
	r.results.forget(req.NamespacedName)
	r.tallyConditions(req.NamespacedName, nil)
	r.rateLimiter().succeeded(req)
}

// butOwnWrites drops the events of our own writes: nothing has happened since the look that made them. Whatever else has
// changed in the same event lets it pass.
func (r *Reconciler[T]) butOwnWrites() predicate.Predicate {
	annotation, types := "", r.types()
	if clocks, ok := r.Progress.(AnnotationProgress[T]); ok {
		annotation = ProgressAnnotation + clocks.name()
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		if !r.writes.Concern(e.ObjectNew) || !looks.Same(e.ObjectOld, e.ObjectNew, annotation, types) {
			return true
		}
		return !r.writes.Take(e.ObjectNew)
	}}
}

// orGone passes what p passes, and all deletions: p may no longer recognize the object, but what is kept for it must go.
func orGone(p predicate.Predicate) predicate.Predicate {
	return predicate.Funcs{CreateFunc: p.Create, UpdateFunc: p.Update, GenericFunc: p.Generic}
}
