package subject

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// floor keeps what the others watch in caches, and does nothing with it. It is ready once the caches have everything.
func floor(ctx context.Context, config *rest.Config, options ctrl.Options) (ctrl.Manager, healthz.Checker, error) {
	options.Scheme = world.NewScheme()
	mgr, err := ctrl.NewManager(limited(config), options)
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
