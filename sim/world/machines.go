package world

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Machines lists the Machines of a cluster. Options narrow the list.
func (w *World) Machines(ctx context.Context, cluster client.ObjectKey, options ...client.ListOption) ([]clusterv1.Machine, error) {
	options = append([]client.ListOption{client.InNamespace(cluster.Namespace), ofCluster(cluster)}, options...)
	list := &clusterv1.MachineList{}
	if err := w.client.List(ctx, list, options...); err != nil {
		return nil, fmt.Errorf("listing machines of %s: %w", cluster, err)
	}
	return list.Items, nil
}

// ControlPlaneMachines lists the Machines of a cluster's control plane.
func (w *World) ControlPlaneMachines(ctx context.Context, cluster client.ObjectKey) ([]clusterv1.Machine, error) {
	return w.Machines(ctx, cluster, client.HasLabels{clusterv1.MachineControlPlaneLabel})
}

// PoolMachines lists the Machines of one pool of a cluster.
func (w *World) PoolMachines(ctx context.Context, cluster client.ObjectKey, pool string) ([]clusterv1.Machine, error) {
	return w.Machines(ctx, cluster, client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: MachineDeploymentName(cluster.Name, pool)})
}

// MachineOf returns the Machine of a Node.
func (w *World) MachineOf(ctx context.Context, cluster client.ObjectKey, node string) (*clusterv1.Machine, error) {
	machines, err := w.Machines(ctx, cluster)
	if err != nil {
		return nil, err
	}
	for i := range machines {
		if machines[i].Status.NodeRef.Name == node {
			return &machines[i], nil
		}
	}
	return nil, fmt.Errorf("no machine of cluster %s has a node %s", cluster, node)
}

// CreateMachinePool adds a MachinePool to a cluster. Cluster API makes a Machine for each of its machines, unless the provider has no machines for it.
func (w *World) CreateMachinePool(ctx context.Context, cluster client.ObjectKey, name string, replicas int32, machines bool) error {
	meta := metav1.ObjectMeta{Namespace: cluster.Namespace, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: cluster.Name}}
	infra := &infrav1.DevMachinePool{ObjectMeta: meta}
	if machines {
		infra.Status.InfrastructureMachineKind = "DevMachine"
	}
	status := infra.Status
	if err := w.client.Create(ctx, infra); err != nil {
		return fmt.Errorf("creating DevMachinePool %s: %w", name, err)
	}
	infra.Status = status
	if err := w.client.Status().Update(ctx, infra); err != nil {
		return fmt.Errorf("writing the status of DevMachinePool %s: %w", name, err)
	}
	pool := &clusterv1.MachinePool{ObjectMeta: meta}
	pool.Spec.ClusterName, pool.Spec.Replicas = cluster.Name, &replicas
	pool.Spec.Template.Spec.ClusterName = cluster.Name
	pool.Spec.Template.Spec.Bootstrap.DataSecretName = new("none")
	pool.Spec.Template.Spec.InfrastructureRef = infraRef("DevMachinePool", name)
	if err := w.client.Create(ctx, pool); err != nil {
		return fmt.Errorf("creating MachinePool %s: %w", name, err)
	}
	return nil
}

// liveMachines is the client for MachineSets without the rate limit. In Cluster API, the same switch makes a controller wait
// until its cache has its own last writes. Without that wait, a MachineSet may not see the Machine that it has just created.
// It then takes the Machine's infrastructure for a leftover and deletes it, and the Machine never comes up.
type liveMachines struct {
	client.Client
	live client.Reader
}

// List implements client.Client.
func (c liveMachines) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*clusterv1.MachineList); ok {
		return c.live.List(ctx, list, opts...)
	}
	return c.Client.List(ctx, list, opts...)
}
