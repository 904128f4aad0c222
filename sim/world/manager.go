package world

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sickbay-dev/sickbay/sim/world/clusterapi"
)

const (
	controllerName = "sickbay-world"

	// reconnectAfter is the interval at which Cluster API retries a workload cluster. The first
	// attempt nearly always fails, because the kubeconfig exists before the API server does. Upstream
	// waits 30 s.
	reconnectAfter = time.Second

	shutdownTimeout = 10 * time.Second
)

// newManager builds the one manager that all Cluster API controllers share.
func newManager(cfg *rest.Config, logger logr.Logger) (ctrl.Manager, error) {
	ofCluster, err := labels.NewRequirement(clusterv1.ClusterNameLabel, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("selecting the secrets of clusters: %w", err)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: NewScheme(),
		Logger: logger,
		Client: clusterapi.ManagerClientOptions(),
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {
				Label:     labels.NewSelector().Add(*ofCluster),
				Transform: cache.TransformStripManagedFields(),
			},
		}},
		Controller: config.Controller{
			// Cluster API uses the priority queue, but that of this version of controller-runtime can block for ever at
			// shutdown (its issue 3538).
			UsePriorityQueue: new(false),
			// Controller names must be unique per process, so with validation a test binary could
			// have only one world.
			SkipNameValidation: new(true),
		},
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		GracefulShutdownTimeout: new(shutdownTimeout),
	})
	if err != nil {
		return nil, fmt.Errorf("creating the manager: %w", err)
	}
	return mgr, nil
}

// connections holds the means to reach workload clusters.
type connections struct {
	clusterCache lasting
	secrets      client.Client
}

// connect sets up the cluster cache that all controllers share, for the life of the world.
func connect(lifetime context.Context, mgr ctrl.Manager, concurrency int) (connections, error) {
	if err := clusterapi.AddDefaultIndexes(lifetime, mgr); err != nil {
		return connections{}, fmt.Errorf("adding indexes: %w", err)
	}
	secrets, err := clusterapi.CreateSecretCachingClient(mgr)
	if err != nil {
		return connections{}, fmt.Errorf("creating the client for secrets: %w", err)
	}
	clusterCache, err := clustercache.SetupWithManager(lifetime, mgr, clustercache.Options{
		SecretClient: secrets,
		Cache:        clusterapi.ClusterCacheCacheOptions(),
		Client:       clusterapi.ClusterCacheClientOptions(controllerName, 100, 200),
	}, controllerOptions(concurrency))
	if err != nil {
		return connections{}, fmt.Errorf("setting up the cluster cache: %w", err)
	}
	// The method is not in the interface, because upstream uses it only in tests.
	if tunable, ok := clusterCache.(interface{ SetConnectionCreationRetryInterval(time.Duration) }); ok {
		tunable.SetConnectionCreationRetryInterval(reconnectAfter)
	}
	return connections{clusterCache: lasting{clusterCache, lifetime}, secrets: secrets}, nil
}

func (c connections) close() {
	// Otherwise the in-memory servers would wait for its watches to end.
	c.clusterCache.Shutdown()
}
