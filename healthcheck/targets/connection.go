package targets

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// connection is a client with everything that only it uses.
type connection struct {
	client    client.Client
	discovery *discovery.DiscoveryClient
	transport http.RoundTripper

	// retired says that no new request will use it. The lock of the target guards it.
	retired bool
}

// connect makes a connection; it sends nothing yet.
func connect(ctx context.Context, config func(context.Context) (*rest.Config, error), options Options, gate func() error) (*connection, error) {
	given, err := config(ctx)
	if err != nil {
		return nil, err
	}
	cfg := bound(given, options)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return gated{next, gate} })
	httpClient, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(cfg, httpClient)
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	c, err := client.New(cfg, client.Options{HTTPClient: httpClient, Scheme: options.Scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, httpClient)
	if err != nil {
		return nil, fmt.Errorf("reading its configuration: %w", err)
	}
	return &connection{client: c, discovery: discoveryClient, transport: httpClient.Transport}, nil
}

// bound returns the configuration with our limits applied.
func bound(given *rest.Config, options Options) *rest.Config {
	cfg := rest.CopyConfig(given)
	cfg.Timeout = options.Timeout
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: options.DialTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	if cfg.Proxy == nil {
		// This is client-go's default. Setting it keeps the transport out of client-go's
		// global cache, where each would have its own entry.
		cfg.Proxy = http.ProxyFromEnvironment
	}
	// One limiter for all kinds; client-go would make one for each.
	cfg.RateLimiter = limiter{flowcontrol.NewTokenBucketRateLimiter(options.QPS, options.Burst), options.Timeout}
	if options.QPS < 0 {
		cfg.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	}
	return cfg
}

// probe checks that the target answers and accepts the credential.
func (c *connection) probe(ctx context.Context) error {
	return c.discovery.RESTClient().Get().AbsPath("/version").Do(ctx).Error()
}

// closeIfRetired closes idle connections, which after the last request are all. Closing one
// to a dead target may take seconds, so nothing waits for it.
func (c *connection) closeIfRetired() {
	if c.retired {
		go utilnet.CloseIdleConnectionsFor(c.transport)
	}
}

// gated sends nothing to a target that has just failed.
type gated struct {
	http.RoundTripper
	gate func() error
}

var _ utilnet.RoundTripperWrapper = gated{}

// RoundTrip implements http.RoundTripper.
func (g gated) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.gate(); err != nil {
		return nil, err
	}
	return g.RoundTripper.RoundTrip(req)
}

// WrappedRoundTripper implements utilnet.RoundTripperWrapper. CloseIdleConnectionsFor uses
// it to find the transport.
func (g gated) WrappedRoundTripper() http.RoundTripper { return g.RoundTripper }

// limiter limits the wait: client-go leaves that to the caller, and discovery sets no
// limit. It marks its errors, because our own throttling is not the target's fault.
type limiter struct {
	flowcontrol.RateLimiter
	timeout time.Duration
}

// throttledError says that a request was not sent because there were too many.
type throttledError struct{ error }

// Unwrap returns the cause.
func (e throttledError) Unwrap() error { return e.error }

// Wait implements flowcontrol.RateLimiter.
func (l limiter) Wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	if err := l.RateLimiter.Wait(ctx); err != nil {
		return throttledError{err}
	}
	return nil
}
