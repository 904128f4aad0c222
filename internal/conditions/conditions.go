// Package conditions knows what the conditions of Nodes and of Cluster API's Machines are on healthy ones, and on new ones, and sums up those of
// Sickbay's own kinds. It is pure.
package conditions

import (
	corev1 "k8s.io/api/core/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Trait is what is known about a type of condition.
type Trait struct {
	// Healthy is the status that it has while nothing is wrong.
	Healthy string
	// AtFirst are the statuses that it has while a new Machine is provisioned, the first one first.
	AtFirst []string
	// OwnerKind is the kind of the owners whose Machines have it; empty if all Machines have it.
	OwnerKind string
}

// Nodes are the conditions of the kubelet, and of the programs that watch a Node: node-problem-detector, and EKS' node monitoring agent.
var Nodes = map[string]Trait{
	string(corev1.NodeReady):              {Healthy: "True"},
	string(corev1.NodeMemoryPressure):     {Healthy: "False"},
	string(corev1.NodeDiskPressure):       {Healthy: "False"},
	string(corev1.NodePIDPressure):        {Healthy: "False"},
	string(corev1.NodeNetworkUnavailable): {Healthy: "False"},
	"KernelDeadlock":                      {Healthy: "False"},
	"ReadonlyFilesystem":                  {Healthy: "False"},
	"CorruptDockerOverlay2":               {Healthy: "False"},
	"FrequentKubeletRestart":              {Healthy: "False"},
	"FrequentDockerRestart":               {Healthy: "False"},
	"FrequentContainerdRestart":           {Healthy: "False"},
	"FrequentUnregisterNetDevice":         {Healthy: "False"},
	"KubeletUnhealthy":                    {Healthy: "False"},
	"ContainerRuntimeUnhealthy":           {Healthy: "False"},
	"KernelReady":                         {Healthy: "True"},
	"NetworkingReady":                     {Healthy: "True"},
	"StorageReady":                        {Healthy: "True"},
	"ContainerRuntimeReady":               {Healthy: "True"},
	"AcceleratedHardwareReady":            {Healthy: "True"},
}

const kubeadm = "KubeadmControlPlane"

// Machines are the conditions of Cluster API's own controllers, and in a control plane those of KubeadmControlPlane.
var Machines = map[string]Trait{
	clusterv1.MachineBootstrapConfigReadyCondition:                                {Healthy: "True", AtFirst: []string{"False", "Unknown"}},
	clusterv1.MachineInfrastructureReadyCondition:                                 {Healthy: "True", AtFirst: []string{"False", "Unknown"}},
	clusterv1.MachineNodeReadyCondition:                                           {Healthy: "True", AtFirst: []string{"Unknown", "False"}},
	clusterv1.MachineNodeHealthyCondition:                                         {Healthy: "True", AtFirst: []string{"Unknown", "False"}},
	clusterv1.MachineUpToDateCondition:                                            {Healthy: "True"},
	clusterv1.MachineUpdatingCondition:                                            {Healthy: "False"},
	clusterv1.MachineDeletingCondition:                                            {Healthy: "False"},
	clusterv1.PausedCondition:                                                     {Healthy: "False"},
	controlplanev1.KubeadmControlPlaneMachineAPIServerPodHealthyCondition:         {"True", []string{"Unknown"}, kubeadm},
	controlplanev1.KubeadmControlPlaneMachineControllerManagerPodHealthyCondition: {"True", []string{"Unknown"}, kubeadm},
	controlplanev1.KubeadmControlPlaneMachineSchedulerPodHealthyCondition:         {"True", []string{"Unknown"}, kubeadm},
	controlplanev1.KubeadmControlPlaneMachineEtcdPodHealthyCondition:              {"True", []string{"Unknown"}, kubeadm},
	controlplanev1.KubeadmControlPlaneMachineEtcdMemberHealthyCondition:           {"True", []string{"Unknown"}, kubeadm},
}
