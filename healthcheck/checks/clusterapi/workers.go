package clusterapi

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Nodes checks the Nodes of a workload cluster of Cluster API, by EnoughNodes or
// NoSurplusNodes. The MachineDeployments and Machines are in the source cluster, the Nodes
// in the target cluster.
//
// Find selects the MachineDeployments and Machines: a namespace, and client.MatchingLabels
// with clusterv1.ClusterNameLabel.
func Nodes[T any](name string, find func(T) []client.ListOption, rule checks.Rule[Workers]) healthcheck.NamedCheck[T] {
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		which := find(in.Object)
		var deployments clusterv1.MachineDeploymentList
		if err := in.Env.Source.List(ctx, &deployments, which...); err != nil {
			return healthcheck.Result{}, fmt.Errorf("listing MachineDeployments: %w", checks.StableError(err))
		}
		var machines clusterv1.MachineList
		if err := in.Env.Source.List(ctx, &machines, which...); err != nil {
			return healthcheck.Result{}, fmt.Errorf("listing Machines: %w", checks.StableError(err))
		}
		var nodes corev1.NodeList
		if err := in.Env.Target.List(ctx, &nodes); err != nil {
			return healthcheck.Result{}, fmt.Errorf("listing Nodes: %w", checks.StableError(err))
		}
		return rule(WorkersOf(deployments.Items, machines.Items, nodes.Items)), nil
	}
	return healthcheck.NamedCheck[T]{
		Name: name, Check: healthcheck.CheckFunc[T](check), Needs: healthcheck.NeedsSource | healthcheck.NeedsTarget,
	}
}

// WorkersOf joins the Machines of MachineDeployments with their Nodes. It does not count
// MachineDeployments that are being deleted, and ignores all other Machines, such as those
// of the control plane. A Machine has failed if a health check found it unhealthy.
func WorkersOf(deployments []clusterv1.MachineDeployment, machines []clusterv1.Machine, nodes []corev1.Node) Workers {
	var w Workers
	wanted := map[client.ObjectKey]bool{}
	for i := range deployments {
		d := &deployments[i]
		if d.DeletionTimestamp.IsZero() {
			wanted[client.ObjectKeyFromObject(d)] = true
			w.Desired += int(ptr.Deref(d.Spec.Replicas, 1))
		}
	}
	ready := map[string]bool{}
	for i := range nodes {
		ready[nodes[i].Name] = isReady(&nodes[i])
	}
	for i := range machines {
		m := &machines[i]
		if !wanted[client.ObjectKey{Namespace: m.Namespace, Name: m.Labels[clusterv1.MachineDeploymentNameLabel]}] {
			continue
		}
		node := m.Status.NodeRef.Name
		w.Workers = append(w.Workers, Worker{
			Machine: m.Name, Node: node, Ready: node != "" && ready[node],
			Deleting: !m.DeletionTimestamp.IsZero(), Failed: foundUnhealthy(m) != nil,
		})
	}
	return w
}

// isReady considers only condition Ready: pressure does not make a Node missing.
func isReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
