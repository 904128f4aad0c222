package workload

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// outlasting is how long a source takes events after its controller has stopped. It is longer than a manager waits for its controllers
// (controller-runtime: 30 seconds).
const outlasting = time.Minute

// Reachable returns a source that wakes a controller when a workload cluster becomes reachable or unreachable.
//
// Cluster API's cache hands these events over without a way out (clusterCache.sendEventsToClusterSources, Cluster API 1.14): if a receiver
// stopped first, the cache's own controller would never end, and the manager would give back its lease only after its grace period. So the
// source still takes events for a while after ctx has ended, and is known to the cache only once it takes them: on a standby, controllers do
// not start. Clusters that were connected before are seen by the controller's first look at its objects.
func (c *Clusters) Reachable(name string, mapCluster handler.MapFunc) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		taking, end := context.WithCancel(context.WithoutCancel(ctx))
		context.AfterFunc(ctx, func() { time.AfterFunc(outlasting, end) })
		return c.Cache.GetClusterSource(name, mapCluster).Start(taking, queue)
	})
}
