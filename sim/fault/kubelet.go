package fault

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// StopKubelet makes the kubelet of a Node fall silent: the Node stays, but its conditions become Unknown,
// as Kubernetes' node controller would set them 40 seconds later. With Status False, the kubelet runs and
// reports that the Node is not ready.
//
// The Machine's NodeReady condition follows within some 20 ms. It stays until Heal or until the machine
// is replaced, because nothing else in a world writes to an existing Node.
type StopKubelet struct {
	Cluster client.ObjectKey
	Node    string
	// Status is the status of the Ready condition. Default Unknown.
	Status corev1.ConditionStatus
	// Since is when it happened. Default: now. With an earlier time, deadlines pass without waiting.
	Since time.Time
}

// String implements Fault.
func (f StopKubelet) String() string {
	return fmt.Sprintf("kubelet of node %s of cluster %s: Ready=%s", f.Node, f.Cluster, f.status())
}

func (f StopKubelet) status() corev1.ConditionStatus {
	if f.Status == "" {
		return corev1.ConditionUnknown
	}
	return f.Status
}

// Inject implements Fault.
func (f StopKubelet) Inject(ctx context.Context, w *world.World) error {
	return w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		if f.status() != corev1.ConditionUnknown {
			condition := corev1.NodeCondition{Type: corev1.NodeReady, Status: f.status(), Reason: "KubeletNotReady"}
			setCondition(node, condition, f.Since, w.Now())
			return
		}
		for _, condition := range wellNode {
			condition.Status = corev1.ConditionUnknown
			condition.Reason = "NodeStatusUnknown"
			condition.Message = "Kubelet stopped posting node status."
			setCondition(node, condition, f.Since, w.Now())
		}
	})
}

// Heal implements Fault.
func (f StopKubelet) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(w.ChangeNode(ctx, f.Cluster, f.Node, func(node *corev1.Node) {
		for _, condition := range wellNode {
			setCondition(node, condition, time.Time{}, w.Now())
		}
	}))
}
