package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Add creates a Machine and its Node.
func (f *Fleet) Add(ctx context.Context, m Machine) error {
	if err := f.addNode(ctx, m); err != nil {
		return err
	}
	machine := machine(m, f.ownerIn(m.Cluster))
	status := machine.Status
	if err := f.World.Client().Create(ctx, machine); err != nil {
		return fmt.Errorf("creating machine %s: %w", m, err)
	}
	if err := f.addStatus(ctx, machine, status); err != nil {
		return fmt.Errorf("writing the status of machine %s: %w", m, err)
	}
	return nil
}

func (f *Fleet) addNode(ctx context.Context, m Machine) error {
	if err := f.nodesOf(m.Cluster).create(ctx, node(m, f.World.Now())); err != nil {
		return fmt.Errorf("creating the node of %s: %w", m, err)
	}
	return nil
}

// addStatus sets the status of a Machine, except for what a subject has already written.
func (f *Fleet) addStatus(ctx context.Context, machine *clusterv1.Machine, status clusterv1.MachineStatus) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		described := machine.DeepCopy()
		described.Status = status
		described.Status.Conditions = slices.Concat(machine.Status.Conditions, status.Conditions)
		err := f.World.Client().Status().Update(ctx, described)
		if apierrors.IsConflict(err) {
			return errors.Join(err, f.World.Client().Get(ctx, client.ObjectKeyFromObject(machine), machine))
		}
		return err
	})
}

// Remove deletes a Machine and its Node. Either may be gone already.
func (f *Fleet) Remove(ctx context.Context, m Machine) error {
	machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}}
	if err := f.World.Client().Delete(ctx, machine); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting machine %s: %w", m, err)
	}
	return f.RemoveNode(ctx, m)
}

// RemoveNode deletes the Node of a machine. It may be gone already.
func (f *Fleet) RemoveNode(ctx context.Context, m Machine) error {
	if err := f.nodesOf(m.Cluster).remove(ctx, m.Name); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the node of %s: %w", m, err)
	}
	return nil
}

// Beat writes a heartbeat of a Node, as its kubelet does when nothing has changed.
func (f *Fleet) Beat(ctx context.Context, m Machine) error {
	return f.changeNode(ctx, m, func(c *corev1.NodeCondition) {
		c.LastHeartbeatTime = f.World.Now()
	})
}

// Sicken makes the Node of a machine not ready since a moment. The deadline is NodeTimeout later.
func (f *Fleet) Sicken(ctx context.Context, m Machine, since time.Time) error {
	return f.setReady(ctx, m, corev1.ConditionFalse, metav1.NewTime(since))
}

// Heal makes the Node of a machine ready again.
func (f *Fleet) Heal(ctx context.Context, m Machine) error {
	return f.setReady(ctx, m, corev1.ConditionTrue, f.World.Now())
}

func (f *Fleet) setReady(ctx context.Context, m Machine, status corev1.ConditionStatus, since metav1.Time) error {
	return f.changeNode(ctx, m, func(c *corev1.NodeCondition) {
		if c.Type == corev1.NodeReady {
			c.Status, c.LastTransitionTime = status, since
		}
	})
}

// Lose makes the Node of a machine silent since a moment: all its conditions are Unknown.
func (f *Fleet) Lose(ctx context.Context, m Machine, since time.Time) error {
	return f.changeNode(ctx, m, func(c *corev1.NodeCondition) {
		c.Status, c.LastTransitionTime = corev1.ConditionUnknown, metav1.NewTime(since)
	})
}

func (f *Fleet) changeNode(ctx context.Context, m Machine, change func(*corev1.NodeCondition)) error {
	err := f.nodesOf(m.Cluster).change(ctx, m.Name, func(node *corev1.Node) {
		for i := range node.Status.Conditions {
			change(&node.Status.Conditions[i])
		}
	})
	if err != nil {
		return fmt.Errorf("changing the node of %s: %w", m, err)
	}
	return nil
}
