package workload

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

var (
	now     = build.Epoch.Add(time.Hour)
	started = now.Add(-10 * time.Minute)
	key     = client.ObjectKey{Namespace: "ns", Name: "c"}
)

// connection is a clustercache whose connections all behave alike.
type connection struct {
	clustercache.ClusterCache

	// connect is the error of connecting.
	connect error
	// get runs for each read, cached or live, and live instead for live ones if it is set.
	get, live func(ctx context.Context, node *corev1.Node) error
	// probed is when the cluster last answered.
	probed time.Time
	// cache is where watches are set up.
	cache ctrlcache.Cache
	reads int
}

// GetReader implements clustercache.ClusterCache.
func (c *connection) GetReader(context.Context, client.ObjectKey) (client.Reader, error) {
	return &reader{connection: c}, c.connect
}

// GetUncachedClient implements clustercache.ClusterCache.
func (c *connection) GetUncachedClient(context.Context, client.ObjectKey) (client.Client, error) {
	return &reader{connection: c, live: true}, c.connect
}

// GetHealthCheckingState implements clustercache.ClusterCache.
func (c *connection) GetHealthCheckingState(context.Context, client.ObjectKey) clustercache.HealthCheckingState {
	return clustercache.HealthCheckingState{LastProbeSuccessTime: c.probed}
}

// Watch implements clustercache.ClusterCache.
func (c *connection) Watch(_ context.Context, _ client.ObjectKey, watcher clustercache.Watcher) error {
	if c.connect != nil {
		return c.connect
	}
	return watcher.Watch(c.cache)
}

// reader reads Nodes through a connection.
type reader struct {
	client.Client

	connection *connection
	live       bool
}

// Get implements client.Reader.
func (r *reader) Get(ctx context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	r.connection.reads++
	if r.live && r.connection.live != nil {
		return r.connection.live(ctx, obj.(*corev1.Node))
	}
	return r.connection.get(ctx, obj.(*corev1.Node))
}

// List implements client.Reader: it returns the one Node that Get finds, or none.
func (r *reader) List(ctx context.Context, list client.ObjectList, _ ...client.ListOption) error {
	r.connection.reads++
	node := corev1.Node{}
	err := r.connection.get(ctx, &node)
	if err == nil {
		list.(*corev1.NodeList).Items = []corev1.Node{node}
	}
	return client.IgnoreNotFound(err)
}

// over returns Clusters with this connection, and with a clock that stands still.
func over(c *connection, secrets client.Reader) (*Clusters, *testingclock.FakePassiveClock) {
	clock := testingclock.NewFakePassiveClock(now)
	return &Clusters{Cache: c, Secrets: secrets, Clock: clock, Started: started}, clock
}
