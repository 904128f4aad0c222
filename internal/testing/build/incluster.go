package build

import clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

// ClusterNameOption makes an object belong to a Cluster.
type ClusterNameOption string

// InCluster makes a Machine, MachineSet or MachineHealthCheck belong to a Cluster other than ClusterName.
func InCluster(name string) ClusterNameOption { return ClusterNameOption(name) }

func (o ClusterNameOption) onMachine(m *clusterv1.Machine) {
	m.Spec.ClusterName = string(o)
	o.label().onMachine(m)
}

func (o ClusterNameOption) onMachineSet(ms *clusterv1.MachineSet) {
	ms.Spec.ClusterName = string(o)
	ms.Spec.Template.Spec.ClusterName = string(o)
	ms.Spec.Template.Labels[clusterv1.ClusterNameLabel] = string(o)
	o.label().onMachineSet(ms)
}

func (o ClusterNameOption) onMachineHealthCheck(mhc *clusterv1.MachineHealthCheck) {
	mhc.Spec.ClusterName = string(o)
	o.label().onMachineHealthCheck(mhc)
}

func (o ClusterNameOption) label() Option { return Label(clusterv1.ClusterNameLabel, string(o)) }
