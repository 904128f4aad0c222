package world

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport/spdy"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
			return next
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
