// Package scaffold is what the controllers of this module have in common: how they read what may be gone, how they retry, when they
// look again, and how their errors read.
package scaffold

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// A failing Reconcile is retried soon, and then less and less often.
const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Queue is the type of a controller's option NewQueue.
type Queue = func(string, workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request]

// New makes a controller, for Add. A nil queue serves requests in the order of arrival.
func New(mgr ctrl.Manager, name string, reconciler reconcile.Reconciler, concurrency int, queue Queue) (controller.Controller, error) {
	options := controller.Options{
		Reconciler: reconciler, MaxConcurrentReconciles: concurrency, Logger: mgr.GetLogger(), NewQueue: queue,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstRetry, lastRetry),
	}
	options.DefaultFromConfig(mgr.GetControllerOptions())
	ctl, err := controller.NewUnmanaged(name, options)
	if err != nil {
		return nil, fmt.Errorf("making controller %s: %w", name, err)
	}
	return ctl, nil
}

// Add adds watches to a controller, and the controller to the manager.
func Add(mgr ctrl.Manager, ctl controller.Controller, name string, sources ...source.Source) error {
	for _, src := range sources {
		if err := ctl.Watch(src); err != nil {
			return fmt.Errorf("adding the watches of %s: %w", name, err)
		}
	}
	return mgr.Add(ctl)
}

// MetadataOf returns an object of a kind, for a watch on its metadata alone.
func MetadataOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(kind)
	return obj
}

// MetadataListOf returns an empty list of the metadata of a kind.
func MetadataListOf(kind schema.GroupVersionKind) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return list
}

// RequeueAfter returns how long to wait before looking again: until recheckAt, if that is not zero, but at the latest after the period, if that is not
// zero. Zero means never. If recheckAt has passed, it returns a very short wait.
func RequeueAfter(recheckAt, now time.Time, period time.Duration) time.Duration {
	if recheckAt.IsZero() {
		return period
	}
	return Sooner(max(recheckAt.Sub(now), time.Millisecond), period)
}

// Sooner returns the shorter of two waits, where zero means never.
func Sooner(a, b time.Duration) time.Duration {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}
