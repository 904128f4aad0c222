package world

import (
	"context"
	"fmt"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/world/metal"
)

// CreateCluster creates the objects of a workload cluster, and its namespace if it does not exist. It
// does not wait; use WaitReady for that.
func (w *World) CreateCluster(ctx context.Context, spec ClusterSpec) error {
	spec = spec.withDefaults()
	if err := w.client.Create(ctx, namespace(spec.Namespace)); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating namespace %s: %w", spec.Namespace, err)
	}
	if spec.BareMetal {
		return w.createMetal(ctx, spec)
	}
	return w.create(ctx, spec.objects())
}

func (w *World) create(ctx context.Context, objects []client.Object) error {
	for _, object := range objects {
		if err := w.client.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %T %s: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

func (w *World) createMetal(ctx context.Context, spec ClusterSpec) error {
	objects, err := spec.metalObjects(w.kubeconfig, w.config.Host)
	if err != nil {
		return err
	}
	for n := range spec.hosts() {
		host := client.ObjectKey{Namespace: spec.Namespace, Name: HostName(spec.Name, n)}
		w.Host(host).Runs(w.metal.Boots(spec.StartupTime))
	}
	if err := w.create(ctx, objects); err != nil {
		return err
	}
	// The API server answers before the first machine exists. A control plane provider would set this.
	cluster := objects[0].(*clusterv1.Cluster)
	before := cluster.DeepCopy()
	cluster.Status.Initialization.ControlPlaneInitialized = new(true)
	if err := w.client.Status().Patch(ctx, cluster, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("saying that the control plane of %s answers: %w", spec.Key(), err)
	}
	return nil
}

// DeleteCluster deletes a workload cluster and everything labelled with its name, and waits until all
// of it is gone. No garbage collector runs in a world, so it also deletes what only owner references
// would remove.
func (w *World) DeleteCluster(ctx context.Context, key client.ObjectKey) error {
	cluster := &clusterv1.Cluster{}
	cluster.Namespace, cluster.Name = key.Namespace, key.Name
	if err := w.client.Delete(ctx, cluster); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting cluster %s: %w", key, err)
	}
	err := Poll(ctx, func(ctx context.Context) error {
		err := w.client.Get(ctx, key, cluster)
		if err == nil {
			return fmt.Errorf("cluster %s still exists", key)
		}
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("waiting for the end of cluster %s: %w", key, err)
	}
	return w.deleteRemains(ctx, key)
}

func (w *World) deleteRemains(ctx context.Context, key client.ObjectKey) error {
	kinds := []client.Object{
		&infrav1.DevMachineTemplate{},
		&bootstrapv1.KubeadmConfigTemplate{},
		&clusterv1.MachineHealthCheck{},
		&v1alpha1.MachineRemediation{},
		&corev1.Secret{},
		&corev1.ConfigMap{},
	}
	if w.HasMetal() {
		kinds = append(kinds, &metal3v1.BareMetalHost{}, ClusterSpec{}.unstructured(metal.Template, ""), ClusterSpec{}.unstructured(metal.Cluster, ""))
	}
	for _, kind := range kinds {
		err := w.client.DeleteAllOf(ctx, kind, client.InNamespace(key.Namespace), ofCluster(key))
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting the %Ts of cluster %s: %w", kind, key, err)
		}
	}
	if !w.HasMetal() {
		return nil
	}
	return w.waitForHosts(ctx, key)
}

// waitForHosts waits until the operator has released the hosts of a cluster.
func (w *World) waitForHosts(ctx context.Context, key client.ObjectKey) error {
	err := Poll(ctx, func(ctx context.Context) error {
		hosts := &metal3v1.BareMetalHostList{}
		if err := w.client.List(ctx, hosts, client.InNamespace(key.Namespace), ofCluster(key)); err != nil {
			return err
		}
		if len(hosts.Items) > 0 {
			return fmt.Errorf("host %s still exists", hosts.Items[0].Name)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the end of the hosts of cluster %s: %w", key, err)
	}
	return nil
}

func ofCluster(key client.ObjectKey) client.MatchingLabels {
	return client.MatchingLabels{clusterv1.ClusterNameLabel: key.Name}
}
