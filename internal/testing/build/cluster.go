package build

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// ClusterName is the Cluster of every object, unless InCluster says otherwise.
const ClusterName = "cluster"

// Cluster returns a Cluster whose infrastructure is ready and whose control plane is initialized,
// both since Epoch.
func Cluster(namespace, name string, opts ...ClusterOption) *clusterv1.Cluster {
	c := &clusterv1.Cluster{ObjectMeta: objectMeta(namespace, name)}
	c.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevCluster", Name: name,
	}
	c.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: "controlplane.cluster.x-k8s.io", Kind: "KubeadmControlPlane", Name: name,
	}
	c.Status.Phase = string(clusterv1.ClusterPhaseProvisioned)
	c.Status.Initialization = clusterv1.ClusterInitializationStatus{
		InfrastructureProvisioned: new(true),
		ControlPlaneInitialized:   new(true),
	}
	ready := []ClusterOption{
		Condition(clusterv1.ClusterInfrastructureReadyCondition, metav1.ConditionTrue, clusterv1.ReadyReason, Epoch),
		Condition(clusterv1.ClusterControlPlaneInitializedCondition, metav1.ConditionTrue,
			clusterv1.ClusterControlPlaneInitializedReason, Epoch),
	}
	return changed(c, append(ready, opts...)...)
}

// InfrastructureNotReady makes the Cluster's infrastructure not ready.
func InfrastructureNotReady() ClusterFunc {
	return func(c *clusterv1.Cluster) {
		c.Status.Initialization.InfrastructureProvisioned = nil
		c.Status.Phase = string(clusterv1.ClusterPhaseProvisioning)
		meta.RemoveStatusCondition(&c.Status.Conditions, clusterv1.ClusterInfrastructureReadyCondition)
	}
}

// ControlPlaneNotInitialized makes the Cluster's control plane not initialized.
func ControlPlaneNotInitialized() ClusterFunc {
	return func(c *clusterv1.Cluster) {
		c.Status.Initialization.ControlPlaneInitialized = nil
		meta.RemoveStatusCondition(&c.Status.Conditions, clusterv1.ClusterControlPlaneInitializedCondition)
	}
}

// Paused pauses the Cluster, and with it everything that belongs to it.
func Paused() ClusterFunc {
	return func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) }
}
