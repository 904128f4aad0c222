package subject

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinehealthcheck"
	"sigs.k8s.io/cluster-api/core/setup"
	"sigs.k8s.io/cluster-api/feature"
	"sigs.k8s.io/cluster-api/util/index"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Main runs a subject other than Sickbay, with flags of Sickbay's manager. As with Sickbay, the first argument is "manager".
func Main(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("manager", flag.ContinueOnError)
	file := set.String("kubeconfig", "", "")
	metrics := set.String("metrics-bind-address", "0", "")
	probe := set.String("health-probe-bind-address", "0", "")
	name := set.String("subject", "", "")
	if err := set.Parse(args); err != nil {
		return err
	}
	ctrl.SetLogger(klog.Background())
	config, err := clientcmd.BuildConfigFromFlags("", *file)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 100, 200 // the defaults of Cluster API's manager
	options := ctrl.Options{Scheme: world.NewScheme(), HealthProbeBindAddress: *probe, Metrics: metricsserver.Options{
		BindAddress: *metrics, SecureServing: true, FilterProvider: filters.WithAuthenticationAndAuthorization,
	}}
	var mgr ctrl.Manager
	ready := healthz.Ping
	switch result.Subject(*name) {
	case result.Upstream:
		mgr, err = upstream(ctx, config, options)
	case result.Floor:
		mgr, ready, err = floor(ctx, config, options)
	default:
		return fmt.Errorf("there is no subject %q", *name)
	}
	if err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("started", ready); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

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
	options.Cache = setup.ManagerCacheOptions(options.Scheme, upstreamName, "", upstreamSync)
	options.Client = setup.ManagerClientOptions()
	options.Controller = ctrlconfig.Controller{
		UsePriorityQueue: new(feature.Gates.Enabled(feature.PriorityQueue)), CacheSyncTimeout: cacheSyncTimeout,
	}
	mgr, err := ctrl.NewManager(config, options)
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

// floor keeps what the others watch in caches, and does nothing with it. It is ready once the caches have everything.
func floor(ctx context.Context, config *rest.Config, options ctrl.Options) (ctrl.Manager, healthz.Checker, error) {
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, nil, fmt.Errorf("creating the manager: %w", err)
	}
	caches, err := addCaches(ctx, mgr)
	if err != nil {
		return nil, nil, err
	}
	return mgr, func(req *http.Request) error {
		for _, c := range caches {
			if !c.WaitForCacheSync(req.Context()) {
				return errors.New("not everything has been read")
			}
		}
		return nil
	}, nil
}

// addCaches makes a manager read and watch everything, and returns the caches.
func addCaches(ctx context.Context, mgr ctrl.Manager) ([]cache.Cache, error) {
	for _, kind := range []client.Object{&clusterv1.Machine{}, &clusterv1.Cluster{}, &clusterv1.MachineHealthCheck{}} {
		if _, err := mgr.GetCache().GetInformer(ctx, kind, cache.BlockUntilSynced(false)); err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
	}
	clusters := &clusterv1.ClusterList{}
	if err := mgr.GetAPIReader().List(ctx, clusters); err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	caches := []cache.Cache{mgr.GetCache()}
	for i := range clusters.Items {
		nodes, err := nodesOf(ctx, mgr, client.ObjectKeyFromObject(&clusters.Items[i]))
		if err != nil {
			return nil, err
		}
		if err := mgr.Add(manager.RunnableFunc(nodes.Start)); err != nil {
			return nil, fmt.Errorf("adding the nodes of %s: %w", clusters.Items[i].Name, err)
		}
		caches = append(caches, nodes)
	}
	return caches, nil
}

// nodesOf returns a cache of the Nodes of a workload cluster.
func nodesOf(ctx context.Context, mgr ctrl.Manager, cluster client.ObjectKey) (cache.Cache, error) {
	access, err := kubeconfig.FromSecret(ctx, mgr.GetAPIReader(), cluster)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", cluster, err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(access)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of %s: %w", cluster, err)
	}
	nodes, err := cache.New(config, cache.Options{Scheme: mgr.GetScheme(), DefaultTransform: cache.TransformStripManagedFields()})
	if err != nil {
		return nil, fmt.Errorf("making a cache of the nodes of %s: %w", cluster, err)
	}
	if _, err := nodes.GetInformer(ctx, &corev1.Node{}, cache.BlockUntilSynced(false)); err != nil {
		return nil, fmt.Errorf("watching the nodes of %s: %w", cluster, err)
	}
	return nodes, nil
}
