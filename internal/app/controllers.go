package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Controllers are the names of all controllers.
func Controllers() []string {
	return []string{machinehealth.ControllerName, machinehealthcheck.ControllerName, upgradepause.ControllerName}
}

// gates is the one list of all controllers, with the kinds that they need.
func gates(o Options, ready *readiness) []gate {
	kind := func(name string) schema.GroupVersionKind { return clusterv1.GroupVersion.WithKind(name) }
	var gates []gate
	if names := o.enabled(machinehealth.ControllerName, machinehealthcheck.ControllerName); len(names) > 0 {
		gates = append(gates, gate{
			name:  strings.Join(names, ", "),
			kinds: []schema.GroupVersionKind{kind("Cluster"), kind("Machine"), kind("MachineHealthCheck")},
			add:   func(ctx context.Context, mgr ctrl.Manager) error { return addClusterAPI(ctx, mgr, o, ready) },
		})
	}
	if len(o.enabled(upgradepause.ControllerName)) > 0 {
		gates = append(gates, upgradePauseGates(o, ready)...)
	}
	return gates
}

// addClusterAPI adds the controllers for Cluster API's Machines.
func addClusterAPI(ctx context.Context, mgr ctrl.Manager, o Options, ready *readiness) error {
	ready.require(&clusterv1.Cluster{}, &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{})
	if err := targets.AddIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	clusters, err := newClusters(ctx, mgr, o)
	if err != nil {
		return err
	}
	observer := &machinehealth.Observer{Nodes: clusters, GracePeriod: o.RemoteConditionsGracePeriod}
	selectors := &targets.Selectors{}
	if len(o.enabled(machinehealth.ControllerName)) > 0 {
		health := &machinehealth.Reconciler{
			Observer: observer, Selectors: selectors, Policy: o.Policy, Clusters: clusters,
			SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
		}
		if err := health.AddToManager(mgr); err != nil {
			return err
		}
	}
	if len(o.enabled(machinehealthcheck.ControllerName)) == 0 {
		return nil
	}
	remediation := &machinehealthcheck.Reconciler{
		Observer: observer, Selectors: selectors, Policy: o.Policy, Namespace: o.Namespace,
		SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
	}
	return remediation.AddToManager(mgr)
}

// newClusters connects to workload clusters. It does so only once their control
// plane is initialized: an attempt that comes too early costs 30 seconds until the
// next.
func newClusters(ctx context.Context, mgr ctrl.Manager, o Options) (*workload.Clusters, error) {
	cache, err := clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient:     mgr.GetClient(),
		WatchFilterValue: o.Policy.WatchFilter,
		ClusterFilter:    controlPlaneInitialized,
		Cache:            clustercache.CacheOptions{ByObject: workload.NodeCache()},
		Client:           clustercache.ClientOptions{Timeout: o.RemoteConnectTimeout, QPS: remoteQPS, Burst: remoteBurst, UserAgent: "sickbay/" + Version},
	}, controller.Options{MaxConcurrentReconciles: clusterConcurrency})
	if err != nil {
		return nil, fmt.Errorf("connecting to workload clusters: %w", err)
	}
	if err := mgr.Add(disconnect{cache}); err != nil {
		return nil, fmt.Errorf("arranging the end of the connections to workload clusters: %w", err)
	}
	return &workload.Clusters{Cache: cache, Secrets: mgr.GetClient(), Clock: clock.RealClock{}, Started: time.Now()}, nil
}

// disconnect ends the connections to workload clusters with the manager, which does
// not know of them.
type disconnect struct{ clusters clustercache.ClusterCache }

// NeedLeaderElection is false, since a standby has connections too.
func (disconnect) NeedLeaderElection() bool { return false }

func (d disconnect) Start(ctx context.Context) error {
	<-ctx.Done()
	// Not in the interface, since Cluster API's own programs end with their manager.
	if c, ok := d.clusters.(interface{ Shutdown() }); ok {
		c.Shutdown()
	}
	return nil
}

const (
	// clusterConcurrency is how many workload clusters are connected to or probed at
	// once. One that hangs holds its place until the timeout.
	clusterConcurrency = 100
	// remoteQPS and remoteBurst bound the requests to each workload cluster. Nodes are
	// watched; single requests are made only before a remedy acts.
	remoteQPS   = 50
	remoteBurst = 100
)

func controlPlaneInitialized(cluster *clusterv1.Cluster) bool {
	initialized := cluster.Status.Initialization.ControlPlaneInitialized
	return initialized != nil && *initialized
}
