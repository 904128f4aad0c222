// Package fairqueue makes the queue of a controller serve workload clusters in turn, and urgent requests first. In a queue that serves requests in
// the order of arrival, a fault in a small cluster would wait for everything that a storm in a large one has queued before it.
package fairqueue

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Place is where a request waits.
type Place struct {
	// Group is the group of requests that it waits in; groups are served in turn.
	Group string
	// CanWait says that urgent requests go first, up to a limit.
	CanWait bool
}

// New returns a constructor of queues for a controller's option NewQueue. Requests of one group are served in the order of arrival; placeOf is called
// when a request arrives.
func New(placeOf func(ctrl.Request) Place) func(string, workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		served := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[ctrl.Request]{Name: name, Queue: &lanes[ctrl.Request]{placeOf: placeOf}})
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[ctrl.Request]{
			Name:          name,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[ctrl.Request]{Name: name, Queue: served}),
		})
	}
}

// ByCluster places objects of a kind by their workload cluster, which it reads from a cache. Objects that are not in the cache share one group per
// namespace. The function clusterOf returns the cluster of an object, and whether it can wait.
func ByCluster[T client.Object](cached client.Reader, empty func() T, clusterOf func(T) (cluster string, canWait bool)) func(ctrl.Request) Place {
	return func(req ctrl.Request) Place {
		obj := empty()
		if err := cached.Get(context.Background(), req.NamespacedName, obj, client.UnsafeDisableDeepCopy); err != nil {
			return Place{Group: req.Namespace}
		}
		cluster, canWait := clusterOf(obj)
		return Place{Group: req.Namespace + "/" + cluster, CanWait: canWait}
	}
}
