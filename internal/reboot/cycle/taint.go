package cycle

import (
	corev1 "k8s.io/api/core/v1"
)

// OutOfService is the taint that makes Kubernetes let go of what runs on a Node.
var OutOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Tainted reports whether a Node has the out-of-service taint, whoever set it.
func Tainted(node *corev1.Node) bool {
	return len(missingTaints([]corev1.Taint{OutOfService}, node.Spec.Taints)) == 0
}
