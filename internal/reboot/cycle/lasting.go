package cycle

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// A new Node gets some things by itself: from its kubelet, or from controllers that look after every Node. These are left out of
// the backup. They would be there again anyway, and what they were may be wrong by then. That is all that is left out. What is
// set once, like the annotations and labels of kubeadm, or may have been set by a person, like a zone or an address for the
// network, is kept: if its owner sets it too, he does so when he starts, whatever is there.

// lastingLabels leaves out the labels that the kubelet sets when it registers a Node.
func lastingLabels(labels map[string]string) map[string]string {
	return without(labels, func(key string) bool {
		switch key {
		case corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, corev1.LabelWindowsBuild, "beta.kubernetes.io/os", "beta.kubernetes.io/arch":
			return true
		default:
			return false
		}
	})
}

// lastingAnnotations leaves out those that somebody sees to on every Node.
func lastingAnnotations(annotations map[string]string) map[string]string {
	return without(annotations, func(key string) bool {
		return ownedAnnotations[key] || strings.HasPrefix(key, ovnPrefix)
	})
}

// ovnPrefix is that of OVN-Kubernetes. It gives out subnets and numbers when a Node is added, and takes them back when it is
// deleted: an old one may be somebody else's by now.
const ovnPrefix = "k8s.ovn.org/"

var ownedAnnotations = map[string]bool{
	// The kubelet: who attaches volumes, by its configuration; its drivers, which have yet to start; its address.
	"volumes.kubernetes.io/controller-managed-attach-detach": true,
	"csi.volume.kubernetes.io/nodeid":                        true,
	"alpha.kubernetes.io/provided-node-ip":                   true,
	// The controller manager, by the size of the cluster.
	corev1.ObjectTTLAnnotationKey: true,
	// Cluster API, for as long as there is a Machine. An old record of what came from the Machine would have it take away, or
	// leave for ever, what is not to be.
	clusterv1.ClusterNameAnnotation: true, clusterv1.ClusterNamespaceAnnotation: true, clusterv1.MachineAnnotation: true,
	clusterv1.OwnerKindAnnotation: true, clusterv1.OwnerNameAnnotation: true, clusterv1.LabelsFromMachineAnnotation: true,
	clusterv1.AnnotationsFromMachineAnnotation: true, clusterv1.TaintsFromMachineAnnotation: true,
	// Calico: addresses of tunnels, which are free for others as soon as the Node is gone, and a key that dies with the host.
	"projectcalico.org/IPv4IPIPTunnelAddr": true, "projectcalico.org/IPv4VXLANTunnelAddr": true, "projectcalico.org/IPv6VXLANTunnelAddr": true,
	"projectcalico.org/IPv4WireguardInterfaceAddr": true, "projectcalico.org/IPv6WireguardInterfaceAddr": true,
	"projectcalico.org/WireguardPublicKey": true, "projectcalico.org/WireguardPublicKeyV6": true,
	// Flannel: where to send the packets for a Node. Until it has started, an old address of the device leads nowhere.
	"flannel.alpha.coreos.com/backend-data": true, "flannel.alpha.coreos.com/backend-v6-data": true, "flannel.alpha.coreos.com/backend-type": true,
	"flannel.alpha.coreos.com/public-ip": true, "flannel.alpha.coreos.com/public-ipv6": true, "flannel.alpha.coreos.com/kube-subnet-manager": true,
}

// lastingTaints leaves out the taints that others set and take away by the state of the Node, or of what runs on it. One that is
// put back after they have taken it away would stay for ever.
func lastingTaints(taints []corev1.Taint) []corev1.Taint {
	var kept []corev1.Taint
	for _, t := range taints {
		if !transient[t.Key] && !strings.HasSuffix(t.Key, notReadySuffix) {
			kept = append(kept, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
		}
	}
	return kept
}

// notReadySuffix is by custom that of taints for as long as an agent, of the network or of storage, has not started.
const notReadySuffix = "/agent-not-ready"

var transient = map[string]bool{
	corev1.TaintNodeNotReady: true, corev1.TaintNodeUnreachable: true, corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeMemoryPressure: true, corev1.TaintNodeDiskPressure: true, corev1.TaintNodePIDPressure: true,
	corev1.TaintNodeNetworkUnavailable: true, corev1.TaintNodeOutOfService: true,
	"node.cloudprovider.kubernetes.io/uninitialized": true,
	"node.cloudprovider.kubernetes.io/shutdown":      true,
	clusterv1.NodeUninitializedTaint.Key:             true,
	clusterv1.NodeOutdatedRevisionTaint.Key:          true,
	// Of the cluster autoscaler: a Node that is cycled may have been spared meanwhile.
	"ToBeDeletedByClusterAutoscaler": true, "DeletionCandidateOfClusterAutoscaler": true,
}

// without are all but those whose key is left out.
func without(all map[string]string, leftOut func(key string) bool) map[string]string {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key, _ string) bool { return leftOut(key) })
	return kept
}

// NodeState is what is known of a Node.
type NodeState int

const (
	// NodeNone says that the Machine has none.
	NodeNone NodeState = iota
	// NodeFound says that it was read.
	NodeFound
	// NodeGone says that the workload cluster answered that there is none.
	NodeGone
	// NodeUnreadable says that the workload cluster did not answer.
	NodeUnreadable
)

// OutOfService is the taint with which Kubernetes deletes the pods of a Node and detaches their volumes at once.
var OutOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Tainted reports whether a Node has the out-of-service taint, no matter who set it.
func Tainted(node *corev1.Node) bool {
	return len(missingTaints([]corev1.Taint{OutOfService}, node.Spec.Taints)) == 0
}

// OurTaint reports whether a taint is the one that we set. Somebody else may have set one with another value.
func OurTaint(t corev1.Taint) bool {
	return t.Key == OutOfService.Key && t.Value == OutOfService.Value && t.Effect == OutOfService.Effect
}
