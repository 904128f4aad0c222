package build

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// InCluster makes a Machine, MachineSet or MachineHealthCheck belong to a Cluster other than ClusterName.
func InCluster(name string) Option {
	return func(obj metav1.Object) {
		switch o := obj.(type) {
		case *clusterv1.Machine:
			o.Spec.ClusterName = name
		case *clusterv1.MachineSet:
			o.Spec.ClusterName, o.Spec.Template.Spec.ClusterName = name, name
			o.Spec.Template.Labels[clusterv1.ClusterNameLabel] = name
		case *clusterv1.MachineHealthCheck:
			o.Spec.ClusterName = name
		}
		Label(clusterv1.ClusterNameLabel, name)(obj)
	}
}
