package world

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
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
	return w.Machines(ctx, cluster, ofDeployment(MachineDeploymentName(cluster.Name, pool)))
}

// DeploymentMachines lists the Machines of any MachineDeployment, whoever created it.
func (w *World) DeploymentMachines(ctx context.Context, deployment client.ObjectKey) ([]clusterv1.Machine, error) {
	list := &clusterv1.MachineList{}
	if err := w.client.List(ctx, list, client.InNamespace(deployment.Namespace), ofDeployment(deployment.Name)); err != nil {
		return nil, fmt.Errorf("listing machines of machine deployment %s: %w", deployment, err)
	}
	return list.Items, nil
}

func ofDeployment(name string) client.MatchingLabels {
	return client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: name}
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
