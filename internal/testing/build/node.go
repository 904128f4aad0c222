package build

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeOption changes a Node.
type NodeOption interface{ onNode(n *corev1.Node) }

// NodeFunc is a NodeOption.
type NodeFunc func(*corev1.Node)

func (f NodeFunc) onNode(n *corev1.Node) { f(n) }

func (o Option) onNode(n *corev1.Node) { o(n) }

// Node returns a Node that has been ready since Epoch.
func Node(name string, opts ...NodeOption) *corev1.Node {
	n := &corev1.Node{ObjectMeta: objectMeta("", name)}
	n.Generation = 0 // the API server does not maintain a generation for Nodes
	n.Spec.ProviderID = "test:///" + name
	for _, opt := range append([]NodeOption{NodeReady(metav1.ConditionTrue, Epoch)}, opts...) {
		opt.onNode(n)
	}
	return n
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
