package world

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world/metal"
)

// WorkloadClient returns a client for the memory of a workload cluster, which bypasses its API server: it works even while the
// cluster is cut off. A watch through the API server sees the changes.
func (w *World) WorkloadClient(cluster client.ObjectKey) inmemoryruntime.Client {
	return w.memory.GetResourceGroup(cluster.String()).GetClient()
}

// ChangeNode changes a Node in the memory of its cluster, as a kubelet would. It does not overwrite concurrent changes, and
// works even while the cluster is cut off.
func (w *World) ChangeNode(ctx context.Context, cluster client.ObjectKey, name string, edit func(*corev1.Node)) error {
	memory := w.WorkloadClient(cluster)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node := &corev1.Node{}
		if err := memory.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
			return err
		}
		edit(node)
		return memory.Update(ctx, node)
	})
	if err != nil {
		return fmt.Errorf("changing node %s of cluster %s: %w", name, cluster, err)
	}
	return nil
}

// Node returns the Node of a Machine.
func (w *World) Node(ctx context.Context, machine *clusterv1.Machine) (*corev1.Node, error) {
	cluster := client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName}
	node, name := &corev1.Node{}, client.ObjectKey{Name: machine.Status.NodeRef.Name}
	get := func() error { return w.WorkloadClient(cluster).Get(ctx, name, node) }
	if machine.Spec.InfrastructureRef.Kind == metal.Machine.Kind {
		get = func() error { return w.client.Get(ctx, name, node) }
	}
	if err := get(); err != nil {
		return nil, fmt.Errorf("getting node %s of cluster %s: %w", name.Name, cluster, err)
	}
	return node, nil
}

// WorkloadConfig returns the configuration with which Cluster API, Sickbay and kubectl reach the API server of a workload
// cluster, from its kubeconfig Secret.
func (w *World) WorkloadConfig(ctx context.Context, cluster client.ObjectKey) (*rest.Config, error) {
	name := client.ObjectKey{Namespace: cluster.Namespace, Name: secret.Name(cluster.Name, secret.Kubeconfig)}
	kubeconfig := &corev1.Secret{}
	if err := w.client.Get(ctx, name, kubeconfig); err != nil {
		return nil, fmt.Errorf("getting the kubeconfig of cluster %s: %w", cluster, err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig.Data[secret.KubeconfigDataName])
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of cluster %s: %w", cluster, err)
	}
	return config, nil
}

// CutOff closes the API server of a workload cluster and all connections to it.
func (w *World) CutOff(cluster client.ObjectKey) error {
	if err := w.mux.StopListener(cluster.String()); err != nil {
		return fmt.Errorf("cutting off cluster %s: %w", cluster, err)
	}
	return nil
}

// Reconnect opens the API server that CutOff closed.
func (w *World) Reconnect(cluster client.ObjectKey) error {
	if err := w.mux.StartListener(cluster.String()); err != nil {
		return fmt.Errorf("reconnecting cluster %s: %w", cluster, err)
	}
	return nil
}

// Silence makes the API server of a synthetic or self-hosted workload cluster hang: open connections break, and new ones are
// accepted but never answered. The returned function ends that.
func (w *World) Silence(cluster client.ObjectKey) (func() error, error) {
	r := w.relayOf(cluster)
	if r == nil {
		return nil, fmt.Errorf("silencing cluster %s: the world has no such synthetic cluster", cluster)
	}
	r.setSilent(true)
	return func() error { r.setSilent(false); return nil }, nil
}
