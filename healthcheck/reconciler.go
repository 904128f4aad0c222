package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/recall"
)

// Reconciler is the engine: it carries out one Registration. AddToManager fills the fields that are nil; set them to
// call Reconcile directly, as tests do.
type Reconciler[T client.Object] struct {
	Registration[T]

	// Client reads the objects. The default is the manager's client, which reads from its cache.
	Client client.Reader
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock

	// expectations are our last writes, which the cache may not show yet.
	expectations recall.Expectations
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

// AddToManager validates the registration, fills in defaults and adds the controller to mgr. Call it before or after
// the manager starts.
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
	r.Store = withDefaults(r.store(), mgr.GetClient(), r.Name)
	options := controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: r.Concurrency,
		Logger:                  mgr.GetLogger(),
		RateLimiter:             r.rateLimiter(),
		NewQueue:                r.NewQueue,
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	options.MaxConcurrentReconciles = cmp.Or(options.MaxConcurrentReconciles, defaultConcurrency)
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
	return mgr.Add(manager.RunnableFunc(r.removeGaugesAtEnd))
}

// watch adds all watches, before the controller can run.
func (r *Reconciler[T]) watch(mgr ctrl.Manager, ctl controller.Controller) error {
	predicates := make([]predicate.Predicate, 0, len(r.Predicates)+1)
	for _, p := range r.Predicates {
		predicates = append(predicates, orGone(p))
	}
	if clocks, ok := r.Progress.(AnnotationProgress[T]); ok {
		predicates = append(predicates, clocks.butOwnClocks())
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
// retries with back-off. It retries conflicts silently.
func (r *Reconciler[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.look(ctx, req)
	return result, retried(err)
}

func (r *Reconciler[T]) look(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj := r.newObject()
	if err := r.Client.Get(ctx, req.NamespacedName, obj); err != nil {
		if apierrors.IsNotFound(err) {
			r.forget(req)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting %s: %w", req.NamespacedName, err)
	}
	now := r.Clock.Now()
	if wait := r.expectations.Wait(obj, now); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	run := r.newRun(obj, r.Progress, &r.hung, now)
	run.kept = r.results.load(obj)
	seen, err := r.observe(ctx, run)
	if err != nil {
		return ctrl.Result{}, err
	}
	p := r.decideOn(ctx, run, seen)
	r.results.store(obj, p.kept)
	p.putOff(r.reworded.lately(obj, now))
	if err := r.carryOut(ctx, obj, p); err != nil {
		return r.afterWriteFailure(obj, errors.Join(err, r.withoutClocks(ctx, run, seen, err)))
	}
	r.tallyConditions(req.NamespacedName, p.apply)
	due := p.due(r.Clock.Now())
	again := requeueAfter(due, r.Clock.Now(), r.period())
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
	r.expectations.Forget(req.NamespacedName)
	r.missing.Delete(req.NamespacedName)
	r.busy.Delete(req.NamespacedName)
	r.reworded.Delete(req.NamespacedName)
	r.results.forget(req.NamespacedName)
	r.tallyConditions(req.NamespacedName, nil)
	r.rateLimiter().succeeded(req)
}

// butOwnClocks drops events of updates that changed nothing but our clocks. No verdict depends on a clock before it runs out,
// and the conditions are written right after the clocks.
func (s AnnotationProgress[T]) butOwnClocks() predicate.Predicate {
	annotation := ProgressAnnotation + s.name()
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		clocks := e.ObjectNew.GetAnnotations()[annotation]
		if clocks == "" || clocks == e.ObjectOld.GetAnnotations()[annotation] {
			return true
		}
		return !equality.Semantic.DeepEqual(without(e.ObjectOld, annotation), without(e.ObjectNew, annotation))
	}}
}

// orGone passes what p passes, and all deletions: p may no longer recognize the object, but what is kept for it must go.
func orGone(p predicate.Predicate) predicate.Predicate {
	return predicate.Funcs{CreateFunc: p.Create, UpdateFunc: p.Update, GenericFunc: p.Generic}
}

// without returns a copy of an object without one annotation, and without the metadata that changes with each write.
func without(obj client.Object, annotation string) client.Object {
	bare := obj.DeepCopyObject().(client.Object)
	annotations := bare.GetAnnotations()
	delete(annotations, annotation)
	if len(annotations) == 0 {
		annotations = nil
	}
	bare.SetAnnotations(annotations)
	bare.SetManagedFields(nil)
	bare.SetResourceVersion("")
	return bare
}
