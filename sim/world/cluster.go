package world

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CreateCluster creates the objects of a workload cluster, and its namespace if there is none. It does
// not wait: WaitReady does.
func (w *World) CreateCluster(ctx context.Context, spec ClusterSpec) error {
	spec = spec.withDefaults()
	if err := w.client.Create(ctx, namespace(spec.Namespace)); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating namespace %s: %w", spec.Namespace, err)
	}
	for _, object := range spec.objects() {
		if err := w.client.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %T %s: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

// DeleteCluster deletes a workload cluster and waits until it is gone, with everything that carries its
// name as a label. No garbage collector runs in a world, so what only owner references would remove is
// removed here.
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
	for _, kind := range []client.Object{
		&infrav1.DevMachineTemplate{},
		&bootstrapv1.KubeadmConfigTemplate{},
		&clusterv1.MachineHealthCheck{},
		&corev1.Secret{},
		&corev1.ConfigMap{},
	} {
		err := w.client.DeleteAllOf(ctx, kind, client.InNamespace(key.Namespace), ofCluster(key))
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting the %Ts of cluster %s: %w", kind, key, err)
		}
	}
	return nil
}

func ofCluster(key client.ObjectKey) client.MatchingLabels {
	return client.MatchingLabels{clusterv1.ClusterNameLabel: key.Name}
}
