package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// connections are the connections to workload clusters: one for each cluster, which all controllers share.
type connections struct {
	mu       sync.Mutex
	clusters *workload.Clusters
	// indexed reports that records have their indexes.
	indexed bool
}

// indexRecords adds the indexes of records on first use.
func (c *connections) indexRecords(ctx context.Context, mgr ctrl.Manager) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.indexed {
		return nil
	}
	err := recordstore.AddIndexes(ctx, mgr.GetFieldIndexer())
	c.indexed = err == nil
	return err
}

// get makes the connections on first use. Parts may start at the same time.
func (c *connections) get(ctx context.Context, mgr ctrl.Manager, o Options) (*workload.Clusters, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clusters != nil {
		return c.clusters, nil
	}
	clusters, err := newClusters(ctx, mgr, o)
	if err != nil {
		return nil, err
	}
	c.clusters = clusters
	return clusters, nil
}

// newClusters connects to workload clusters, on a standby, too: it serves the dashboard, and may have to take over at any moment. It
// connects only once their control plane is initialized: after an attempt that comes too early, the next one waits 30 seconds.
func newClusters(ctx context.Context, mgr ctrl.Manager, o Options) (*workload.Clusters, error) {
	cache, err := clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient:     workload.Kubeconfigs{Reader: mgr.GetClient()},
		WatchFilterValue: o.Policy.WatchFilter,
		ClusterFilter:    controlPlaneInitialized,
		Cache:            clustercache.CacheOptions{ByObject: workload.NodeCache()},
		Client:           clustercache.ClientOptions{Timeout: o.RemoteConnectTimeout, QPS: remoteQPS, Burst: remoteBurst, UserAgent: "sickbay/" + Version},
	}, controller.Options{MaxConcurrentReconciles: clusterConcurrency, NeedLeaderElection: new(false)})
	if err != nil {
		return nil, fmt.Errorf("connecting to workload clusters: %w", err)
	}
	if err := mgr.Add(disconnect(cache)); err != nil {
		return nil, fmt.Errorf("arranging the end of the connections to workload clusters: %w", err)
	}
	clusters := &workload.Clusters{Cache: cache, Secrets: mgr.GetClient(), Management: mgr.GetClient(), Clock: clock.RealClock{}, Started: time.Now(),
		Waiting: o.waiting()}
	if err := mgr.Add(clusters); err != nil {
		return nil, fmt.Errorf("adding the connections to workload clusters: %w", err)
	}
	if err := metrics.AddWhileLeading(mgr, "workload clusters", clusters.Metrics); err != nil {
		return nil, err
	}
	return clusters, nil
}

// disconnect closes the connections to workload clusters when the manager stops, since the manager does not know them. A standby has connections, too.
func disconnect(clusters clustercache.ClusterCache) scaffold.Everywhere {
	return func(ctx context.Context) error {
		<-ctx.Done()
		// Shutdown is not in the interface, since Cluster API's own programs end with their manager.
		if c, ok := clusters.(interface{ Shutdown() }); ok {
			c.Shutdown()
		}
		return nil
	}
}

const (
	// clusterConcurrency is how many workload clusters are connected or probed at once. A cluster that hangs occupies its
	// place until the timeout.
	clusterConcurrency = 100
	// remoteQPS and remoteBurst limit the requests to each workload cluster. Nodes are watched; single requests are made
	// only for a Node that is not in the cache, and before a remedy acts. A storm must not wait for this limit: what
	// bounds its requests is how many Machines are handled at once.
	remoteQPS   = 500
	remoteBurst = 1000
)

// controlPlaneInitialized also reads the condition: for a Cluster without a controlPlaneRef, Cluster API reports it only
// there.
func controlPlaneInitialized(cluster *clusterv1.Cluster) bool {
	return ptr.Deref(cluster.Status.Initialization.ControlPlaneInitialized, false) ||
		meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition)
}
