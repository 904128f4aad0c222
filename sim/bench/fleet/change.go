package fleet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
