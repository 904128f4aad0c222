package cycle

import corev1 "k8s.io/api/core/v1"

// OutOfService is the taint that makes Kubernetes delete the Pods of a Node and detach their volumes at once.
var OutOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Tainted reports whether a Node has the out-of-service taint, no matter who set it.
func Tainted(node *corev1.Node) bool {
	return len(missingTaints([]corev1.Taint{OutOfService}, node.Spec.Taints)) == 0
}

// OurTaint reports whether a taint is the one that we set. Somebody else's may have another value.
func OurTaint(t corev1.Taint) bool {
	return t.Key == OutOfService.Key && t.Value == OutOfService.Value && t.Effect == OutOfService.Effect
}
