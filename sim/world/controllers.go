package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/test/infrastructure/container"
	"sigs.k8s.io/cluster-api/test/infrastructure/docker/controllers"
	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	inmemoryserver "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/server"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/sim/world/clusterapi"
	poolprovider "github.com/sickbay-dev/sickbay/sim/world/machinepool"
)

// Cluster API's own defaults, which its binaries set as flags.
const (
	connectionGracePeriod = 50 * time.Second
	tokenTTL              = 15 * time.Minute
	etcdDialTimeout       = 10 * time.Second
	etcdCallTimeout       = 15 * time.Second
	etcdTimeout           = 3 * time.Minute

	// The first and the longest pause before a retry are controller-runtime's.
	firstRetry = 5 * time.Millisecond
	lastRetry  = 1000 * time.Second
)

// reconciler is the interface that Cluster API's reconcilers share.
type reconciler interface {
	SetupWithManager(context.Context, ctrl.Manager, controller.Options) error
}

// addControllers adds Cluster API's controllers to the manager.
func addControllers(ctx context.Context, mgr ctrl.Manager, o Options, conn connections, memory inmemoryruntime.Manager, mux *inmemoryserver.WorkloadClustersMux) error {
	infra, err := infraReconcilers(mgr, conn, memory, mux)
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(coreReconcilers(mgr, o, conn), topologyReconcilers(mgr, conn), kubeadmReconcilers(mgr, o, conn), infra) {
		options := controllerOptions(o.Concurrency)
		if _, ok := r.(*clusterapi.KubeadmControlPlane); ok {
			// It talks to the etcd members one at a time.
			options.ReconciliationTimeout = etcdTimeout
		}
		if err := r.SetupWithManager(ctx, mgr, options); err != nil {
			return fmt.Errorf("adding %T: %w", r, err)
		}
	}
	return nil
}

// controllerOptions retries each object by itself, as the priority queue does. The default without that queue lets all objects of a
// controller share ten retries a second.
func controllerOptions(concurrency int) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: concurrency,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstRetry, lastRetry),
	}
}

func coreReconcilers(mgr ctrl.Manager, o Options, conn connections) []reconciler {
	reconcilers := []reconciler{
		&clusterapi.Cluster{
			Client:                      mgr.GetClient(),
			APIReader:                   mgr.GetAPIReader(),
			ClusterCache:                conn.clusterCache,
			RemoteConnectionGracePeriod: connectionGracePeriod,
		},
		&clusterapi.Machine{
			Client:                      mgr.GetClient(),
			APIReader:                   mgr.GetAPIReader(),
			ClusterCache:                conn.clusterCache,
			RemoteConditionsGracePeriod: o.RemoteConditionsGracePeriod,
		},
		&clusterapi.MachineSet{
			Client:          machineSetClient(mgr, o),
			APIReader:       mgr.GetAPIReader(),
			ClusterCache:    conn.clusterCache,
			PreflightChecks: sets.New(clusterv1.MachineSetPreflightCheckAll),
		},
		&clusterapi.MachineDeployment{
			Client:    mgr.GetClient(),
			APIReader: mgr.GetAPIReader(),
		},
		&clusterapi.MachinePool{
			Client:       mgr.GetClient(),
			APIReader:    mgr.GetAPIReader(),
			ClusterCache: conn.clusterCache,
		},
	}
	if o.UpstreamMachineHealthCheck {
		reconcilers = append(reconcilers, &clusterapi.MachineHealthCheck{
			Client:       mgr.GetClient(),
			ClusterCache: conn.clusterCache,
		})
	}
	return reconcilers
}

// topologyReconcilers are those of Clusters that have a ClusterClass.
func topologyReconcilers(mgr ctrl.Manager, conn connections) []reconciler {
	c, live := mgr.GetClient(), mgr.GetAPIReader()
	return []reconciler{
		&clusterapi.ClusterClass{Client: c},
		&clusterapi.ClusterTopology{Client: c, APIReader: live, ClusterCache: conn.clusterCache},
		&clusterapi.MachineDeploymentTopology{Client: c, APIReader: live},
		&clusterapi.MachineSetTopology{Client: c, APIReader: live},
	}
}

func machineSetClient(mgr ctrl.Manager, o Options) client.Client {
	if o.RateLimit {
		return mgr.GetClient()
	}
	return liveMachines{Client: mgr.GetClient(), live: mgr.GetAPIReader()}
}

func kubeadmReconcilers(mgr ctrl.Manager, o Options, conn connections) []reconciler {
	return []reconciler{
		clusterapi.KubeadmConfig(mgr.GetClient(), conn.secrets, mgr.GetAPIReader(), conn.clusterCache, tokenTTL),
		&clusterapi.KubeadmControlPlane{
			Client:                      mgr.GetClient(),
			APIReader:                   mgr.GetAPIReader(),
			SecretCachingClient:         conn.secrets,
			ClusterCache:                dialInTurn{conn.clusterCache},
			EtcdDialTimeout:             etcdDialTimeout,
			EtcdCallTimeout:             etcdCallTimeout,
			EtcdLogger:                  zap.NewNop(),
			RemoteConditionsGracePeriod: o.RemoteConditionsGracePeriod,
		},
	}
}

func infraReconcilers(mgr ctrl.Manager, conn connections, memory inmemoryruntime.Manager, mux *inmemoryserver.WorkloadClustersMux) ([]reconciler, error) {
	// The reconcilers need a container runtime even if only the in-memory backend is used.
	noContainers, err := container.NewFakeClient()
	if err != nil {
		return nil, fmt.Errorf("creating the fake container runtime: %w", err)
	}
	return []reconciler{
		&poolprovider.Provider{Client: mgr.GetClient(), Live: mgr.GetAPIReader()},
		&controllers.DevClusterReconciler{
			Client:           mgr.GetClient(),
			ContainerRuntime: noContainers,
			InMemoryManager:  memory,
			APIServerMux:     mux,
		},
		&controllers.DevMachineReconciler{
			Client:           mgr.GetClient(),
			ContainerRuntime: noContainers,
			ClusterCache:     conn.clusterCache,
			InMemoryManager:  memory,
			APIServerMux:     mux,
		},
	}, nil
}
