package build

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// MachineSet returns a MachineSet of ClusterName with one replica, which selects Machines by the label that
// OwnedBy sets.
func MachineSet(namespace, name string, opts ...MachineSetOption) *clusterv1.MachineSet {
	ms := &clusterv1.MachineSet{ObjectMeta: objectMeta(namespace, name)}
	ms.Spec.Replicas = new(int32(1))
	ms.Spec.Selector = metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineSetNameLabel: name}}
	ms.Spec.Template.Labels = map[string]string{clusterv1.MachineSetNameLabel: name}
	ms.Spec.Template.Spec = machineSpec(name)
	return changed(ms, append([]MachineSetOption{InCluster(ClusterName)}, opts...)...)
}

// Replicas sets the number of Machines that the MachineSet wants.
func Replicas(n int32) MachineSetFunc {
	return func(ms *clusterv1.MachineSet) { ms.Spec.Replicas = &n }
}
