package build

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node returns a Node that has been ready since Epoch.
func Node(name string, opts ...NodeOption) *corev1.Node {
	n := &corev1.Node{ObjectMeta: objectMeta("", name)}
	n.Generation = 0 // the API server does not maintain a generation for Nodes
	n.Spec.ProviderID = "test:///" + name
	return changed(n, append([]NodeOption{NodeReady(metav1.ConditionTrue, Epoch)}, opts...)...)
}

// NodeReady sets the Ready condition of a Node, with the reason that Kubernetes uses.
func NodeReady(status metav1.ConditionStatus, since time.Time) ConditionOption {
	reasons := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue:    "KubeletReady",
		metav1.ConditionFalse:   "KubeletNotReady",
		metav1.ConditionUnknown: "NodeStatusUnknown",
	}
	return Condition(string(corev1.NodeReady), status, reasons[status], since)
}
