package cycle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeFacts is what was read from the workload cluster.
type NodeFacts struct {
	State NodeState
	// Cause is set if State is NodeUnreadable.
	Cause string
	// Node is set if State is NodeFound.
	Node *corev1.Node
	// Tainted reports whether it has the out-of-service taint, and Drained whether its Pods and volumes have been released since.
	Tainted bool
	Drained bool
	// TaintSupported reports whether the workload cluster honours that taint.
	TaintSupported bool
}

// NodeState is what is known of a Node.
type NodeState int

const (
	// NodeNone means that the Machine has none.
	NodeNone NodeState = iota
	// NodeFound means that it was read.
	NodeFound
	// NodeGone means that the workload cluster answered that there is none.
	NodeGone
	// NodeUnreadable means that it could not be read from the workload cluster.
	NodeUnreadable
)

// readySince reports whether a Ready Node became Ready after a time.
func readySince(node *corev1.Node, since *metav1.Time) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && since.Before(&c.LastTransitionTime)
	})
}

// reportedAfter reports whether a Node has reported after a time.
func reportedAfter(node *corev1.Node, since *metav1.Time) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return since.Before(&c.LastHeartbeatTime)
		}
	}
	return false
}
