package cycle

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// A new Node gets some things by itself, from its kubelet or from controllers that look after every Node. The backup leaves
// these out, and keeps only what lasts: they would come back anyway, and the old values may be wrong by then. What lasts is everything else: what is set only
// once, such as the annotations and labels of kubeadm, and what a person may have set, such as a zone or an address for the
// network. If a program sets such a value too, it does so when it starts, whatever is there.

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

// lastingAnnotations leaves out the annotations that programs maintain on every Node.
func lastingAnnotations(annotations map[string]string) map[string]string {
	return without(annotations, func(key string) bool {
		return maintainedAnnotations[key] || strings.HasPrefix(key, ovnPrefix)
	})
}

// ovnPrefix begins the annotations of OVN-Kubernetes. It assigns subnets and numbers when a Node is added, and frees them when
// it is deleted: an old one may belong to another Node by now.
const ovnPrefix = "k8s.ovn.org/"

// maintainedAnnotations are what programs set on every Node by themselves.
var maintainedAnnotations = map[string]bool{
	// The kubelet: who attaches volumes (from its configuration), its drivers (which have yet to start), its address.
	"volumes.kubernetes.io/controller-managed-attach-detach": true,
	"csi.volume.kubernetes.io/nodeid":                        true,
	"alpha.kubernetes.io/provided-node-ip":                   true,
	// The controller manager, depending on the size of the cluster.
	corev1.ObjectTTLAnnotationKey: true,
	// Cluster API, while there is a Machine. An old record of what came from the Machine would make Cluster API remove, or keep
	// forever, the wrong things.
	clusterv1.ClusterNameAnnotation: true, clusterv1.ClusterNamespaceAnnotation: true, clusterv1.MachineAnnotation: true,
	clusterv1.OwnerKindAnnotation: true, clusterv1.OwnerNameAnnotation: true, clusterv1.LabelsFromMachineAnnotation: true,
	clusterv1.AnnotationsFromMachineAnnotation: true, clusterv1.TaintsFromMachineAnnotation: true,
	// Calico: tunnel addresses, which are free for others as soon as the Node is gone, and a key that the host loses when it is
	// off.
	"projectcalico.org/IPv4IPIPTunnelAddr": true, "projectcalico.org/IPv4VXLANTunnelAddr": true, "projectcalico.org/IPv6VXLANTunnelAddr": true,
	"projectcalico.org/IPv4WireguardInterfaceAddr": true, "projectcalico.org/IPv6WireguardInterfaceAddr": true,
	"projectcalico.org/WireguardPublicKey": true, "projectcalico.org/WireguardPublicKeyV6": true,
	// Flannel: where to send the packets for a Node. Until Flannel has started, an old device address leads nowhere.
	"flannel.alpha.coreos.com/backend-data": true, "flannel.alpha.coreos.com/backend-v6-data": true, "flannel.alpha.coreos.com/backend-type": true,
	"flannel.alpha.coreos.com/public-ip": true, "flannel.alpha.coreos.com/public-ipv6": true, "flannel.alpha.coreos.com/kube-subnet-manager": true,
}

// lastingTaints leaves out the taints that others set and remove depending on the state of the Node, or of what runs on it. If
// we put one back after they have removed it, it would stay forever.
func lastingTaints(taints []corev1.Taint) []corev1.Taint {
	var kept []corev1.Taint
	for _, t := range taints {
		if !transientTaints[t.Key] && !strings.HasSuffix(t.Key, notReadySuffix) {
			kept = append(kept, corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
		}
	}
	return kept
}

// notReadySuffix by convention ends taints that last until an agent, of the network or of storage, has started.
const notReadySuffix = "/agent-not-ready"

// transientTaints come and go with the state of a Node.
var transientTaints = map[string]bool{
	corev1.TaintNodeNotReady: true, corev1.TaintNodeUnreachable: true, corev1.TaintNodeUnschedulable: true,
	corev1.TaintNodeMemoryPressure: true, corev1.TaintNodeDiskPressure: true, corev1.TaintNodePIDPressure: true,
	corev1.TaintNodeNetworkUnavailable: true, corev1.TaintNodeOutOfService: true,
	"node.cloudprovider.kubernetes.io/uninitialized": true,
	"node.cloudprovider.kubernetes.io/shutdown":      true,
	clusterv1.NodeUninitializedTaint.Key:             true,
	clusterv1.NodeOutdatedRevisionTaint.Key:          true,
	// The cluster autoscaler: it may have decided meanwhile to keep the Node.
	"ToBeDeletedByClusterAutoscaler": true, "DeletionCandidateOfClusterAutoscaler": true,
}

// without returns all entries except those whose key is to be left out.
func without(all map[string]string, leaveOut func(key string) bool) map[string]string {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key, _ string) bool { return leaveOut(key) })
	return kept
}
