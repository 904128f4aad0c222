package workload

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Writer is for callers that change something in a workload cluster. It caches nothing. Implementations are safe
// for concurrent use. Errors from the cluster's API server are the usual apierrors; all others are
// UnreadableErrors.
type Writer interface {
	// GetLive reads a Node, as in Nodes.
	GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	// Client returns a client for the cluster.
	Client(ctx context.Context, cluster client.ObjectKey) (client.Client, error)
	// Version returns the version of the cluster.
	Version(ctx context.Context, cluster client.ObjectKey) (*version.Info, error)
}

var (
	_ Writer = &Clusters{}
	_ Writer = Local{}
)

// Client implements Writer.
func (c *Clusters) Client(ctx context.Context, cluster client.ObjectKey) (client.Client, error) {
	connected, err := c.Cache.GetUncachedClient(ctx, cluster)
	if err != nil {
		return nil, c.unreadable(ctx, path{cluster: cluster, live: true}, err)
	}
	return connected, nil
}

// Version implements Writer.
func (c *Clusters) Version(ctx context.Context, cluster client.ObjectKey) (*version.Info, error) {
	config, err := c.Cache.GetRESTConfig(ctx, cluster)
	if err != nil {
		return nil, c.unreadable(ctx, path{cluster: cluster, live: true}, err)
	}
	info, err := serverVersion(ctx, config)
	if err != nil {
		return nil, c.unreadable(ctx, path{cluster: cluster, live: true}, err)
	}
	return info, nil
}

// Local is the cluster that Sickbay itself runs against, whatever the key: the cluster of OpenShift's Machines.
type Local struct {
	Live   client.Client
	Config *rest.Config
}

// GetLive implements Writer.
func (l Local) GetLive(ctx context.Context, _ client.ObjectKey, name string) (*corev1.Node, error) {
	node := &corev1.Node{}
	if err := l.Live.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return nil, fmt.Errorf("getting Node %s: %w", name, err)
	}
	return node, nil
}

// Client implements Writer.
func (l Local) Client(context.Context, client.ObjectKey) (client.Client, error) { return l.Live, nil }

// Version implements Writer.
func (l Local) Version(ctx context.Context, _ client.ObjectKey) (*version.Info, error) {
	info, err := serverVersion(ctx, l.Config)
	if err != nil {
		return nil, &UnreadableError{Cause: causeNoAnswer, Err: err}
	}
	return info, nil
}

// serverVersion reads the version like the discovery client, which takes no context.
func serverVersion(ctx context.Context, config *rest.Config) (*version.Info, error) {
	discover, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a discovery client: %w", err)
	}
	body, err := discover.RESTClient().Get().AbsPath("/version").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for the version: %w", err)
	}
	info := &version.Info{}
	if err := json.Unmarshal(body, info); err != nil {
		return nil, fmt.Errorf("reading the version: %w", err)
	}
	return info, nil
}
