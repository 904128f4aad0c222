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

	// Annotations are those of the Cluster.
	Annotations map[string]string

	// ControlPlaneReplicas is 1 (default) or 3. KubeadmControlPlane repairs nothing below 3.
	ControlPlaneReplicas int32

	// Workers is the size of the pool named DefaultPool, and WorkerLabels are the labels of its Machines.
	Workers      int
	WorkerLabels map[string]string

	// Pools are further pools of workers. Each becomes a MachineDeployment.
	Pools []Pool

	// BareMetal has the machines run on hosts, of the size of the cluster and SpareHosts more; the world needs
	// Options.BareMetal. The Nodes are in the management cluster, which is its own workload cluster. The control plane is
	// Machines that nobody owns.
	BareMetal  bool
	SpareHosts int

	// StartupTime is how long every Node takes to come up after its machine. Default: no time.
	StartupTime time.Duration

	// Version of Kubernetes. Default KubernetesVersion.
	Version string
}

// Pool is a group of equal workers.
type Pool struct {
	Name   string
	Size   int
	Labels map[string]string
}

// Key is the name of the cluster in the management cluster.
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

// ControlPlaneName is the name of a cluster's KubeadmControlPlane.
func ControlPlaneName(cluster string) string { return cluster + "-control-plane" }

// MachineDeploymentName is the name of the MachineDeployment of a cluster's pool.
func MachineDeploymentName(cluster, pool string) string { return cluster + "-" + pool }
