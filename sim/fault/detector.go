package fault

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// AccuseNode has a detector call a Node unhealthy: it sets a condition of the Node to False. The Machine shows nothing of it.
type AccuseNode struct {
	Cluster client.ObjectKey
	Node    string
	Type    corev1.NodeConditionType
	// Silent is when the detector died. Default: it lives.
	Silent time.Time
}

// String implements Fault.
func (f AccuseNode) String() string {
	if f.Silent.IsZero() {
		return fmt.Sprintf("node %s of cluster %s: %s=False", f.Node, f.Cluster, f.Type)
	}
	return fmt.Sprintf("node %s of cluster %s: %s=False, by a detector that died at %s", f.Node, f.Cluster, f.Type, f.Silent.UTC().Format(time.RFC3339))
}

// Inject implements Fault.
func (f AccuseNode) Inject(ctx context.Context, w *world.World) error {
	beat := w.Now()
	if !f.Silent.IsZero() {
		beat = metav1.NewTime(f.Silent)
	}
	return w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		setCondition(node, corev1.NodeCondition{Type: f.Type, Status: corev1.ConditionFalse, Reason: "Accused"}, f.Silent, beat)
	})
}

// Heal implements Fault.
func (f AccuseNode) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		setCondition(node, corev1.NodeCondition{Type: f.Type, Status: corev1.ConditionTrue, Reason: "Fine"}, time.Time{}, w.Now())
	}))
}
