package build

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Machine returns a worker Machine of ClusterName whose infrastructure has been ready since Epoch and which
// waits for its Node.
func Machine(namespace, name string, opts ...MachineOption) *clusterv1.Machine {
	m := &clusterv1.Machine{ObjectMeta: objectMeta(namespace, name), Spec: machineSpec(name)}
	m.Spec.ProviderID = "test:///" + name
	m.Status.Phase = string(clusterv1.MachinePhaseProvisioned)
	m.Status.Initialization = clusterv1.MachineInitializationStatus{
		InfrastructureProvisioned:  new(true),
		BootstrapDataSecretCreated: new(true),
	}
	ready := []MachineOption{
		InCluster(ClusterName),
		Condition(clusterv1.MachineBootstrapConfigReadyCondition, metav1.ConditionTrue, clusterv1.ReadyReason, Epoch),
		Condition(clusterv1.MachineInfrastructureReadyCondition, metav1.ConditionTrue, clusterv1.ReadyReason, Epoch),
	}
	return changed(m, append(ready, opts...)...)
}

// machineSpec is the spec of a Machine, and of the template in a MachineSet.
func machineSpec(name string) clusterv1.MachineSpec {
	return clusterv1.MachineSpec{
		Bootstrap: clusterv1.Bootstrap{DataSecretName: new(name + "-bootstrap")},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{
			APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: name,
		},
	}
}

// NodeRef gives the Machine a Node, by name.
func NodeRef(name string) MachineFunc {
	return func(m *clusterv1.Machine) {
		m.Status.NodeRef = clusterv1.MachineNodeReference{Name: name}
		m.Status.Phase = string(clusterv1.MachinePhaseRunning)
	}
}

// InPhase sets the phase of the Machine, and since when.
func InPhase(phase string, since time.Time) MachineFunc {
	return func(m *clusterv1.Machine) { m.Status.Phase, m.Status.LastUpdated = phase, metav1.NewTime(since) }
}

// ControlPlane makes the Machine a control-plane Machine.
func ControlPlane() MachineFunc {
	return func(m *clusterv1.Machine) { Label(clusterv1.MachineControlPlaneLabel, "")(m) }
}

// OwnedBy makes a MachineSet the controller of the Machine. If an API server is used, store the MachineSet
// first, since its UID is not known before.
func OwnedBy(ms *clusterv1.MachineSet) MachineFunc {
	return func(m *clusterv1.Machine) {
		ControlledBy(ms, clusterv1.GroupVersion.WithKind("MachineSet"))(m)
		Label(clusterv1.MachineSetNameLabel, ms.Name)(m)
	}
}
