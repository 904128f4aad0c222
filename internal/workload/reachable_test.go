package workload

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// announcing is a clustercache that hands over its events as Cluster API's does: it waits until somebody takes them.
type announcing struct {
	clustercache.ClusterCache

	events chan event.GenericEvent
	// sources counts who has to take each event.
	sources *int
}

// GetClusterSource implements clustercache.ClusterCache.
func (a announcing) GetClusterSource(_ string, mapCluster func(context.Context, client.Object) []ctrl.Request, _ ...clustercache.GetClusterSourceOption) source.Source {
	*a.sources++
	return source.Channel(a.events, handler.TypedEnqueueRequestsFromMapFunc(mapCluster))
}

// TestReachableEnds: a source takes events for a minute after its controller, and then ends, which frees what it refers to.
func TestReachableEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := announcing{events: make(chan event.GenericEvent), sources: new(int)}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
		ctx, stop := context.WithCancel(t.Context())
		reachable := (&Clusters{Cache: cache}).Reachable("test", func(context.Context, client.Object) []ctrl.Request { return nil })
		if err := reachable.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		queue.ShutDown()
		stop()
		for _, tt := range []struct {
			after time.Duration
			taken bool
		}{{59 * time.Second, true}, {2 * time.Second, false}} {
			<-time.After(tt.after)
			synctest.Wait()
			taken := true
			select {
			case cache.events <- event.GenericEvent{Object: build.Cluster(key.Namespace, key.Name)}:
			default:
				taken = false
			}
			if taken != tt.taken {
				t.Errorf("%s later an event is taken: %t, want %t", tt.after, taken, tt.taken)
			}
		}
	})
}

// TestReachable: a cluster's event wakes the controller, and somebody takes the events that come while the controllers stop.
func TestReachable(t *testing.T) {
	g := NewWithT(t)
	cache := announcing{events: make(chan event.GenericEvent), sources: new(int)}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
	ctx, stop := context.WithCancel(t.Context())
	reachable := (&Clusters{Cache: cache}).Reachable("test", func(_ context.Context, cluster client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(cluster)}}
	})
	g.Expect(*cache.sources).To(BeZero(), "on a standby, nobody takes events, and the cache would wait for ever")
	g.Expect(reachable.Start(ctx, queue)).To(Succeed())
	cluster := event.GenericEvent{Object: build.Cluster(key.Namespace, key.Name)}
	cache.events <- cluster
	request, _ := queue.Get()
	g.Expect(request.NamespacedName).To(Equal(key))

	queue.ShutDown()
	stop()
	// A receiver that stops with ctx may still take a few.
	for range 20 {
		g.Eventually(cache.events).WithTimeout(10 * time.Second).Should(BeSent(cluster))
	}
}
