package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// NodeCondition sets one condition of a Node, as a kubelet under pressure or a problem detector would.
//
// Watchers of the Node see it at once; Machines show the kubelet's own conditions within some 20 ms.
// Heal resets a kubelet's condition to its healthy value, and removes any other.
type NodeCondition struct {
	Cluster client.ObjectKey
	Node    string
	Type    corev1.NodeConditionType
	Status  corev1.ConditionStatus
	// Since is when it happened. Default: now.
	Since time.Time
}

// String implements Fault.
func (f NodeCondition) String() string {
	return fmt.Sprintf("node %s of cluster %s: %s=%s", f.Node, f.Cluster, f.Type, f.Status)
}

// Inject implements Fault.
func (f NodeCondition) Inject(ctx context.Context, w *world.World) error {
	condition := corev1.NodeCondition{Type: f.Type, Status: f.Status, Reason: "Fault", Message: f.String()}
	return w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		setCondition(node, condition, f.Since, w.Now())
	})
}

// Heal implements Fault.
func (f NodeCondition) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		isIt := func(c corev1.NodeCondition) bool { return c.Type == f.Type }
		if i := slices.IndexFunc(wellNode, isIt); i >= 0 {
			setCondition(node, wellNode[i], time.Time{}, w.Now())
			return
		}
		node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, isIt)
	}))
}
