package subject

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinehealthcheck"
	"sigs.k8s.io/cluster-api/core/setup"
	"sigs.k8s.io/cluster-api/feature"
	"sigs.k8s.io/cluster-api/util/index"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// The defaults of Cluster API's core manager, from its flags.
const (
	upstreamName            = "capi-controller-manager"
	upstreamSync            = 10 * time.Minute
	upstreamConcurrency     = 50
	clusterCacheConcurrency = 100
	clusterCacheQPS         = 20
	clusterCacheBurst       = 30
	cacheSyncTimeout        = 5 * time.Minute
)

// upstream returns Cluster API's core manager with only the MachineHealthCheck controller.
func upstream(ctx context.Context, config *rest.Config, options ctrl.Options) (ctrl.Manager, error) {
	options.Scheme = world.NewScheme()
	options.Cache = setup.ManagerCacheOptions(options.Scheme, upstreamName, "", upstreamSync)
	options.Client = setup.ManagerClientOptions()
	options.Controller = ctrlconfig.Controller{
		UsePriorityQueue: new(feature.Gates.Enabled(feature.PriorityQueue)), CacheSyncTimeout: cacheSyncTimeout,
	}
	mgr, err := ctrl.NewManager(limited(config), options)
	if err != nil {
		return nil, fmt.Errorf("creating the manager: %w", err)
	}
	if err := index.AddDefaultIndexes(ctx, mgr); err != nil {
		return nil, fmt.Errorf("adding indexes: %w", err)
	}
	secrets, err := setup.CreateSecretCachingClient(mgr)
	if err != nil {
		return nil, fmt.Errorf("creating the client for secrets: %w", err)
	}
	clusterCache, err := clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient: secrets,
		Cache:        setup.ClusterCacheCacheOptions(),
		Client:       setup.ClusterCacheClientOptions(upstreamName, clusterCacheQPS, clusterCacheBurst),
	}, controller.Options{MaxConcurrentReconciles: clusterCacheConcurrency})
	if err != nil {
		return nil, fmt.Errorf("setting up the cluster cache: %w", err)
	}
	checks := &machinehealthcheck.Reconciler{Client: mgr.GetClient(), ClusterCache: clusterCache}
	if err := checks.SetupWithManager(ctx, mgr, controller.Options{MaxConcurrentReconciles: upstreamConcurrency}); err != nil {
		return nil, fmt.Errorf("adding the controller: %w", err)
	}
	return mgr, nil
}
