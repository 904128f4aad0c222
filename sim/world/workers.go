package world

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

func (s ClusterSpec) bootstrapTemplate(name string) *bootstrapv1.KubeadmConfigTemplate {
	return &bootstrapv1.KubeadmConfigTemplate{ObjectMeta: s.meta(name)}
}

// MachineDeployment returns a MachineDeployment of the cluster for a pool.
func (s ClusterSpec) MachineDeployment(name string, pool Pool) *clusterv1.MachineDeployment {
	selector := map[string]string{
		clusterv1.ClusterNameLabel:           s.Name,
		clusterv1.MachineDeploymentNameLabel: name,
	}
	labels := maps.Clone(selector)
	maps.Copy(labels, pool.Labels)
	return &clusterv1.MachineDeployment{
		ObjectMeta: s.meta(name),
		Spec: clusterv1.MachineDeploymentSpec{
			ClusterName: s.Name,
			Replicas:    new(int32(pool.Size)),
			Selector:    metav1.LabelSelector{MatchLabels: selector},
			Rollout: clusterv1.MachineDeploymentRolloutSpec{
				Strategy: clusterv1.MachineDeploymentRolloutStrategy{
					Type: clusterv1.RollingUpdateMachineDeploymentStrategyType,
					RollingUpdate: clusterv1.MachineDeploymentRolloutStrategyRollingUpdate{
						MaxSurge:       new(intstr.FromInt32(1)),
						MaxUnavailable: new(intstr.FromInt32(0)),
					},
				},
			},
			Template: clusterv1.MachineTemplateSpec{
				ObjectMeta: clusterv1.ObjectMeta{Labels: labels},
				Spec:       s.workerSpec(name),
			},
		},
	}
}

func (s ClusterSpec) workerSpec(template string) clusterv1.MachineSpec {
	return clusterv1.MachineSpec{
		ClusterName:       s.Name,
		Version:           s.Version,
		InfrastructureRef: infraRef("DevMachineTemplate", template),
		Bootstrap: clusterv1.Bootstrap{ConfigRef: clusterv1.ContractVersionedObjectReference{
			APIGroup: bootstrapv1.GroupVersion.Group,
			Kind:     "KubeadmConfigTemplate",
			Name:     template,
		}},
		Deletion: clusterv1.MachineDeletionSpec{
			NodeDeletionTimeoutSeconds: new(int32(nodeDeletionTimeoutSeconds)),
		},
	}
}
