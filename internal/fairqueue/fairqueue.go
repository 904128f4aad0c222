// Package fairqueue has the queue of a controller serve workload clusters in turn, and what is urgent first. In a queue that is served in the order of arrival, a fault in a
// small cluster waits for all that a storm in a large one has put there before.
package fairqueue

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Place is where a request waits.
type Place struct {
	// Group has the requests that it waits with; groups are served in turn.
	Group string
	// CanWait reports that others go first, up to a limit.
	CanWait bool
}

// New returns what makes the queue of a controller, for its option NewQueue. The requests of one group are served in the order of arrival; where one
// waits is asked when it arrives.
func New(placeOf func(ctrl.Request) Place) func(string, workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		served := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[ctrl.Request]{Name: name, Queue: &lanes[ctrl.Request]{placeOf: placeOf}})
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[ctrl.Request]{
			Name:          name,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[ctrl.Request]{Name: name, Queue: served}),
		})
	}
}

// ByCluster places the objects of a kind by the workload cluster that a cache shows them in. Those that it does not have are in a group of their namespace.
// The function says which of their clusters it is, and whether it can wait.
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
