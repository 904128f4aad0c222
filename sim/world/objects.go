package world

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// nodeDeletionTimeoutSeconds bounds how long a Machine in deletion tries to delete its Node.
const nodeDeletionTimeoutSeconds = 10

// objects returns all objects of a cluster, without a ClusterClass. No webhook runs in a world, so it
// sets what webhooks would default.
func (s ClusterSpec) objects() []client.Object {
	objects := []client.Object{
		s.devCluster(),
		s.cluster(),
		s.machineTemplate(ControlPlaneName(s.Name)),
		s.controlPlane(),
	}
	for _, pool := range s.Pools {
		name := MachineDeploymentName(s.Name, pool.Name)
		objects = append(objects, s.machineTemplate(name), s.bootstrapTemplate(name), s.MachineDeployment(name, pool))
	}
	return objects
}

func (s ClusterSpec) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: s.Namespace,
		Name:      name,
		Labels:    map[string]string{clusterv1.ClusterNameLabel: s.Name},
	}
}

func (s ClusterSpec) cluster() *clusterv1.Cluster {
	meta := s.meta(s.Name)
	meta.Annotations = s.Annotations
	return &clusterv1.Cluster{
		ObjectMeta: meta,
		Spec: clusterv1.ClusterSpec{
			InfrastructureRef: infraRef("DevCluster", s.Name),
			ControlPlaneRef: clusterv1.ContractVersionedObjectReference{
				APIGroup: controlplanev1.GroupVersion.Group,
				Kind:     "KubeadmControlPlane",
				Name:     ControlPlaneName(s.Name),
			},
		},
	}
}

func (s ClusterSpec) devCluster() *infrav1.DevCluster {
	meta := s.meta(s.Name)
	// The in-memory backend writes into this map without allocating it.
	meta.Annotations = map[string]string{"sim.sickbay.dev/world": ""}
	return &infrav1.DevCluster{
		ObjectMeta: meta,
		Spec: infrav1.DevClusterSpec{Backend: infrav1.DevClusterBackendSpec{
			InMemory: &infrav1.InMemoryClusterBackendSpec{},
		}},
	}
}

func (s ClusterSpec) machineTemplate(name string) *infrav1.DevMachineTemplate {
	return &infrav1.DevMachineTemplate{
		ObjectMeta: s.meta(name),
		Spec: infrav1.DevMachineTemplateSpec{Template: infrav1.DevMachineTemplateResource{
			Spec: infrav1.DevMachineSpec{Backend: infrav1.DevMachineBackendSpec{
				InMemory: &infrav1.InMemoryMachineBackendSpec{Node: &infrav1.InMemoryNodeSpec{
					Provisioning: infrav1.CommonProvisioningSettings{
						StartupDuration: metav1.Duration{Duration: s.StartupTime},
					},
				}},
			}},
		}},
	}
}

func (s ClusterSpec) controlPlane() *controlplanev1.KubeadmControlPlane {
	return &controlplanev1.KubeadmControlPlane{
		ObjectMeta: s.meta(ControlPlaneName(s.Name)),
		Spec: controlplanev1.KubeadmControlPlaneSpec{
			Replicas: new(s.ControlPlaneReplicas),
			Version:  s.Version,
			MachineTemplate: controlplanev1.KubeadmControlPlaneMachineTemplate{
				Spec: controlplanev1.KubeadmControlPlaneMachineTemplateSpec{
					InfrastructureRef: infraRef("DevMachineTemplate", ControlPlaneName(s.Name)),
					Deletion: controlplanev1.KubeadmControlPlaneMachineTemplateDeletionSpec{
						NodeDeletionTimeoutSeconds: new(int32(nodeDeletionTimeoutSeconds)),
					},
				},
			},
			Rollout: controlplanev1.KubeadmControlPlaneRolloutSpec{
				Strategy: controlplanev1.KubeadmControlPlaneRolloutStrategy{
					Type: controlplanev1.RollingUpdateStrategyType,
					RollingUpdate: controlplanev1.KubeadmControlPlaneRolloutStrategyRollingUpdate{
						MaxSurge: new(intstr.FromInt32(1)),
					},
				},
			},
		},
	}
}

func infraRef(kind, name string) clusterv1.ContractVersionedObjectReference {
	return clusterv1.ContractVersionedObjectReference{APIGroup: infrav1.GroupVersion.Group, Kind: kind, Name: name}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
