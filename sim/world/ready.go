package world

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pollInterval is the interval between two looks at the world. A look costs a few milliseconds.
const pollInterval = 50 * time.Millisecond

// WaitReady waits until the cluster has all the machines it wants and each has a Node that is Ready. If
// the context ends first, the error says what was missing.
func (w *World) WaitReady(ctx context.Context, key client.ObjectKey) error {
	if err := Poll(ctx, func(ctx context.Context) error { return w.Ready(ctx, key) }); err != nil {
		return fmt.Errorf("waiting for cluster %s: %w", key, err)
	}
	return nil
}

// Ready returns nil if the cluster has all the machines it wants and each has a Node that is Ready.
// Otherwise the error says what is missing.
func (w *World) Ready(ctx context.Context, key client.ObjectKey) error {
	if err := w.client.Get(ctx, key, &clusterv1.Cluster{}); err != nil {
		return fmt.Errorf("getting cluster %s: %w", key, err)
	}
	wanted, err := w.wantedMachines(ctx, key)
	if err != nil {
		return err
	}
	machines, err := w.Machines(ctx, key)
	if err != nil {
		return err
	}
	if len(machines) != wanted {
		return fmt.Errorf("%d machines of %d exist", len(machines), wanted)
	}
	var missing []error
	for i := range machines {
		missing = append(missing, w.machineReady(ctx, key, &machines[i]))
	}
	return errors.Join(missing...)
}

func (w *World) wantedMachines(ctx context.Context, key client.ObjectKey) (int, error) {
	wanted, err := w.wantedControlPlane(ctx, key)
	if err != nil {
		return 0, err
	}
	deployments := &clusterv1.MachineDeploymentList{}
	if err := w.client.List(ctx, deployments, client.InNamespace(key.Namespace), ofCluster(key)); err != nil {
		return 0, fmt.Errorf("listing the machine deployments of %s: %w", key, err)
	}
	for _, deployment := range deployments.Items {
		wanted += int(ptr.Deref(deployment.Spec.Replicas, 1))
	}
	return wanted, nil
}

func (w *World) wantedControlPlane(ctx context.Context, key client.ObjectKey) (int, error) {
	controlPlane := &controlplanev1.KubeadmControlPlane{}
	err := w.client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: ControlPlaneName(key.Name)}, controlPlane)
	if apierrors.IsNotFound(err) && w.HasMetal() {
		// On bare metal, nothing owns the control plane, so the current number is the wanted one.
		machines, err := w.ControlPlaneMachines(ctx, key)
		return len(machines), err
	}
	if err != nil {
		return 0, fmt.Errorf("getting the control plane of %s: %w", key, err)
	}
	return int(ptr.Deref(controlPlane.Spec.Replicas, 1)), nil
}

func (w *World) machineReady(ctx context.Context, key client.ObjectKey, machine *clusterv1.Machine) error {
	switch {
	case !machine.DeletionTimestamp.IsZero():
		return fmt.Errorf("machine %s is being deleted", machine.Name)
	// Check both, because Cluster API writes the condition some milliseconds before the reference.
	case !machine.Status.NodeRef.IsDefined():
		return fmt.Errorf("machine %s has no node", machine.Name)
	case !conditions.IsTrue(machine, clusterv1.MachineNodeReadyCondition):
		return fmt.Errorf("machine %s does not say that its node is ready", machine.Name)
	}
	node, err := w.Node(ctx, machine)
	if err != nil {
		return err
	}
	if !util.IsNodeReady(node) {
		return fmt.Errorf("node %s is not ready", node.Name)
	}
	return nil
}

// Poll calls look until it returns nil. If the context ends first, Poll returns the last error.
func Poll(ctx context.Context, look func(context.Context) error) error {
	last := errors.New("not looked at yet")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := look(ctx); err == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w (%w)", last, context.Cause(ctx))
	}
	return nil
}
