package app

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/third_party/forked/httpcache"
)

// lookTimeout bounds each request, since a request that hangs would delay the shutdown of the manager.
const lookTimeout = 10 * time.Second

// InstalledKinds reads once which kinds are installed.
func InstalledKinds(cfg *rest.Config) (meta.RESTMapper, error) {
	look, err := newLook(cfg)
	if err != nil {
		return nil, err
	}
	return look()
}

// newLook returns a function that reads which kinds are installed, in two requests for all of them. While nothing
// changes, the API server answers with a status only, thanks to the ETag of its last answer.
//
// A group that cannot be read, for example because its server is down, counts as not installed, and hides no other
// group.
func newLook(cfg *rest.Config) (func() (meta.RESTMapper, error), error) {
	cfg = rest.CopyConfig(cfg)
	cfg.Timeout = lookTimeout
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		answers := httpcache.NewMemoryCacheTransport()
		answers.Transport = next
		return answers
	})
	live, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making a client for discovery: %w", err)
	}
	// This reads everything once, and does not retry when a group fails.
	once := memory.NewMemCacheClient(live)
	return func() (meta.RESTMapper, error) {
		once.Invalidate()
		groups, err := restmapper.GetAPIGroupResources(once)
		if err != nil {
			return nil, fmt.Errorf("reading which kinds are installed: %w", err)
		}
		return restmapper.NewDiscoveryRESTMapper(groups), nil
	}, nil
}
