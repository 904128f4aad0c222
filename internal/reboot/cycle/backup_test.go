package cycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// backupOfNode returns the backup of a Node.
func backupOfNode(t *testing.T, node corev1.Node) *v1alpha1.NodeBackup {
	t.Helper()
	f := in(v1alpha1.Fenced)
	f.Node.Node.Labels, f.Node.Node.Annotations, f.Node.Node.Spec = node.Labels, node.Annotations, node.Spec
	record := Decide(f, noon.Time).Status.Node
	if record == nil || record.Backup == nil {
		t.Fatal("nothing is kept")
	}
	return record.Backup
}

// TestBackupLeavesOutWhatComesByItself: labels and annotations that the kubelet and controllers set on every new Node are not
// ours to put back: our copy may be out of date. Those that nobody sets again are kept.
func TestBackupLeavesOutWhatComesByItself(t *testing.T) {
	lost, kept := "comes by itself", "is kept"
	labels := map[string]string{
		corev1.LabelHostname: lost, corev1.LabelOSStable: lost, corev1.LabelArchStable: lost, corev1.LabelWindowsBuild: lost,
		"beta.kubernetes.io/os": lost, "beta.kubernetes.io/arch": lost,
		// On bare metal, people usually set these. A cloud provider that sets them overwrites what is there.
		corev1.LabelTopologyZone: kept, corev1.LabelTopologyRegion: kept, corev1.LabelInstanceTypeStable: kept,
		// kubeadm sets these, but only when a machine joins for the first time.
		"node-role.kubernetes.io/control-plane": kept, corev1.LabelNodeExcludeBalancers: kept,
		"k8s.ovn.org/egress-assignable": kept, "team": kept,
	}
	annotations := map[string]string{
		"volumes.kubernetes.io/controller-managed-attach-detach": lost, "csi.volume.kubernetes.io/nodeid": lost,
		"alpha.kubernetes.io/provided-node-ip": lost, "node.alpha.kubernetes.io/ttl": lost,
		clusterv1.ClusterNameAnnotation: lost, clusterv1.ClusterNamespaceAnnotation: lost, clusterv1.MachineAnnotation: lost,
		clusterv1.OwnerKindAnnotation: lost, clusterv1.OwnerNameAnnotation: lost, clusterv1.LabelsFromMachineAnnotation: lost,
		clusterv1.AnnotationsFromMachineAnnotation: lost, clusterv1.TaintsFromMachineAnnotation: lost,
		"projectcalico.org/IPv4IPIPTunnelAddr": lost, "projectcalico.org/IPv4VXLANTunnelAddr": lost, "projectcalico.org/WireguardPublicKey": lost,
		"flannel.alpha.coreos.com/public-ip": lost, "flannel.alpha.coreos.com/backend-data": lost,
		"k8s.ovn.org/node-subnets": lost, "k8s.ovn.org/node-id": lost,
		// This one is from kubeadm, too.
		"kubeadm.alpha.kubernetes.io/cri-socket": kept,
		// A person may have set these, and nobody else knows them.
		"projectcalico.org/IPv4Address": kept, "projectcalico.org/ASNumber": kept, "flannel.alpha.coreos.com/public-ip-overwrite": kept,
		"network.cilium.io/ipv4-pod-cidr": kept, "machineconfiguration.openshift.io/currentConfig": kept, "note": kept,
	}
	got := backupOfNode(t, corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations}})
	for what, all := range map[string][2]map[string]string{"labels": {labels, got.Labels}, "annotations": {annotations, got.Annotations}} {
		want := map[string]string{}
		for key, value := range all[0] {
			if value == kept {
				want[key] = value
			}
		}
		if diff := cmp.Diff(want, all[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// TestBackupLeavesOutPassingTaints: taints that others set and remove depending on the state of the Node, or of what runs on
// it, are theirs. A copy that is put back after they have removed it would stay forever.
func TestBackupLeavesOutPassingTaints(t *testing.T) {
	var taints []corev1.Taint
	for _, key := range []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService, "node.cloudprovider.kubernetes.io/uninitialized",
		"node.cloudprovider.kubernetes.io/shutdown", "node.cluster.x-k8s.io/uninitialized", "node.cluster.x-k8s.io/outdated-revision",
		"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "node.cilium.io/agent-not-ready", "disk.csi.azure.com/agent-not-ready",
	} {
		taints = append(taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
	team := corev1.Taint{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	got := backupOfNode(t, corev1.Node{Spec: corev1.NodeSpec{Taints: append(taints, team)}})
	if diff := cmp.Diff([]corev1.Taint{team}, got.Taints); diff != "" {
		t.Errorf("taints (-want +got):\n%s", diff)
	}
}
