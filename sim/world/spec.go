package world

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// KubernetesVersion is the version of the workload clusters, unless their ClusterSpec says otherwise.
const KubernetesVersion = "v1.36.3"

// DefaultPool is the name of the pool that ClusterSpec.Workers makes.
const DefaultPool = "workers"

// ClusterSpec describes a workload cluster.
type ClusterSpec struct {
	Namespace string
	Name      string

	// Annotations are set on the Cluster.
	Annotations map[string]string

	// ControlPlaneReplicas is 1 (default) or 3. KubeadmControlPlane repairs nothing below 3.
	ControlPlaneReplicas int32

	// Workers is the size of the pool named DefaultPool, and WorkerLabels are the labels of its Machines.
	Workers      int
	WorkerLabels map[string]string

	// Pools are more pools of workers. Each becomes a MachineDeployment.
	Pools []Pool

	// BareMetal runs the machines on hosts: one for each machine, and SpareHosts more. The world needs Options.BareMetal.
	// The Nodes are in the management cluster, which is its own workload cluster. The control plane consists of Machines
	// without an owner.
	BareMetal  bool
	SpareHosts int

	// StartupTime is how long a machine takes until its Node comes up. Default 0.
	StartupTime time.Duration

	// Version is the Kubernetes version. Default KubernetesVersion.
	Version string
}

// Pool is a group of equal workers.
type Pool struct {
	Name   string
	Size   int
	Labels map[string]string
}

// Key returns the name of the cluster in the management cluster.
func (s ClusterSpec) Key() client.ObjectKey {
	return client.ObjectKey{Namespace: s.Namespace, Name: s.Name}
}

func (s ClusterSpec) withDefaults() ClusterSpec {
	if s.Namespace == "" {
		s.Namespace = "default"
	}
	if s.ControlPlaneReplicas == 0 {
		s.ControlPlaneReplicas = 1
	}
	if s.Version == "" {
		s.Version = KubernetesVersion
	}
	if s.Workers > 0 {
		s.Pools = append([]Pool{{Name: DefaultPool, Size: s.Workers, Labels: s.WorkerLabels}}, s.Pools...)
	}
	return s
}

// ControlPlaneName returns the name of a cluster's KubeadmControlPlane.
func ControlPlaneName(cluster string) string { return cluster + "-control-plane" }

// MachineDeploymentName returns the name of the MachineDeployment of a cluster's pool.
func MachineDeploymentName(cluster, pool string) string { return cluster + "-" + pool }
