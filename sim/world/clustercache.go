package world

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/sim/world/clusterapi"
)

// lasting is a cluster cache whose sources take events for as long as its world lives, even after their controllers have stopped. The cache
// waits without a limit until somebody takes an event, so otherwise its own controller may never stop.
type lasting struct {
	clustercache.ClusterCache

	lifetime context.Context
}

// GetClusterSource implements clustercache.ClusterCache.
func (l lasting) GetClusterSource(name string, mapCluster func(context.Context, client.Object) []ctrl.Request, opts ...clustercache.GetClusterSourceOption) source.Source {
	events := l.ClusterCache.GetClusterSource(name, mapCluster, opts...)
	return source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		return events.Start(l.lifetime, queue) //nolint:contextcheck // It has to go on when the controller stops.
	})
}

// Shutdown closes the connections. The method is not in the interface that the cache has.
func (l lasting) Shutdown() {
	if c, ok := l.ClusterCache.(interface{ Shutdown() }); ok {
		c.Shutdown()
	}
}

// dialInTurn is the cluster cache for KubeadmControlPlane. Its etcd client dials several members at the same
// time through one SPDY round tripper, which keeps the connection of the last dial in a field. That is a
// data race: one member may get another's connection. dialInTurn lets one dial run at a time.
type dialInTurn struct {
	clustercache.ClusterCache
}

// GetRESTConfig implements clustercache.ClusterCache.
func (d dialInTurn) GetRESTConfig(ctx context.Context, cluster client.ObjectKey) (*rest.Config, error) {
	config, err := d.ClusterCache.GetRESTConfig(ctx, cluster)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		if _, upgrades := next.(spdy.Upgrader); !upgrades {
			return clusterapi.Transport(next)
		}
		return &turns{next: next, turn: make(chan struct{}, 1)}
	})
	return config, nil
}

// turns lets one request through at a time, until its response is closed: only then has the dialer taken the
// connection out of the round tripper.
type turns struct {
	next http.RoundTripper
	turn chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (t *turns) RoundTrip(request *http.Request) (*http.Response, error) {
	select {
	case t.turn <- struct{}{}:
	case <-request.Context().Done():
		return nil, context.Cause(request.Context())
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		<-t.turn
		return nil, err
	}
	end := sync.OnceFunc(func() { <-t.turn })
	response.Body = &closing{ReadCloser: response.Body, closed: end}
	return response, nil
}

// closing is a body that calls closed when it is closed.
type closing struct {
	io.ReadCloser
	closed func()
}

// Close implements io.Closer.
func (c *closing) Close() error {
	defer c.closed()
	return c.ReadCloser.Close()
}
