package recordstore

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Filter gives a record the label cluster.x-k8s.io/watch-filter of its MachineHealthCheck or Cluster, which says whose manager looks after it.
func Filter(r *v1alpha1.MachineRemediation, from metav1.Object) {
	if filter := from.GetLabels()[clusterv1.WatchLabel]; filter != "" {
		r.Labels[clusterv1.WatchLabel] = filter
	}
}

// New returns a new record with that ordinal for the machine of spec. The record is deleted with its Cluster, and
// outlives its machine.
func New(cluster *clusterv1.Cluster, ordinal int, spec v1alpha1.MachineRemediationSpec) *v1alpha1.MachineRemediation {
	return NewIn(cluster.Namespace, cluster, ordinal, spec)
}

// NewIn is New for a machine that may have no Cluster: one of OpenShift. Then nothing owns the record.
func NewIn(namespace string, cluster *clusterv1.Cluster, ordinal int, spec v1alpha1.MachineRemediationSpec) *v1alpha1.MachineRemediation {
	machine := spec.MachineRef
	made := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   namespace,
			Name:        Name(machine.Name, machine.UID, ordinal),
			Labels:      map[string]string{v1alpha1.OpenLabel: "", v1alpha1.MachineUIDLabel: string(machine.UID)},
			Annotations: map[string]string{v1alpha1.OrdinalAnnotation: strconv.Itoa(ordinal)},
			Finalizers:  []string{v1alpha1.RemediationFinalizer},
		},
		Spec: spec,
	}
	if cluster != nil {
		made.Labels[clusterv1.ClusterNameLabel] = cluster.Name
		made.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
		}}
	}
	return made
}
