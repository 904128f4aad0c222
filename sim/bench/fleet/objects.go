package fleet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// pool is the label by which a health check selects its Machines.
const pool = "bench.sickbay.dev/pool"

// healthCheck returns a check that allows remedies while no more machines than a limit are unhealthy.
func healthCheck(cluster client.ObjectKey, limit string, nodeTimeout time.Duration) *clusterv1.MachineHealthCheck {
	return build.MachineHealthCheck(cluster.Namespace, cluster.Name, build.InCluster(cluster.Name), build.Selector(map[string]string{pool: cluster.Name}),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, nodeTimeout),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, nodeTimeout),
		build.NodeStartupTimeout(10*time.Minute), build.TriggerIfAtMost(intstr.Parse(limit)))
}

// machineSet returns the owner of the machines of a cluster. No controller handles it.
func machineSet(cluster client.ObjectKey, machines int) *clusterv1.MachineSet {
	return build.MachineSet(cluster.Namespace, cluster.Name, build.InCluster(cluster.Name), build.Replicas(int32(machines)))
}

func machineSpec(m Machine) clusterv1.MachineSpec {
	return clusterv1.MachineSpec{
		ClusterName: m.Cluster.Name,
		ProviderID:  providerID(m),
		Bootstrap:   clusterv1.Bootstrap{DataSecretName: new("none")},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{
			APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: m.Name,
		},
	}
}

// machine returns a running worker, as Cluster API would describe it.
func machine(m Machine, owner types.UID) *clusterv1.Machine {
	machine := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name,
			Labels: map[string]string{clusterv1.ClusterNameLabel: m.Cluster.Name, pool: m.Cluster.Name},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: m.Cluster.Name, UID: owner, Controller: new(true),
			}},
		},
		Spec: machineSpec(m),
		Status: clusterv1.MachineStatus{
			NodeRef: clusterv1.MachineNodeReference{Name: m.Name},
			Phase:   string(clusterv1.MachinePhaseRunning),
			Initialization: clusterv1.MachineInitializationStatus{
				InfrastructureProvisioned: new(true), BootstrapDataSecretCreated: new(true),
			},
		},
	}
	now := metav1.Now()
	for _, condition := range []string{
		clusterv1.MachineAvailableCondition, clusterv1.MachineReadyCondition, clusterv1.MachineUpToDateCondition,
		clusterv1.MachineBootstrapConfigReadyCondition, clusterv1.MachineInfrastructureReadyCondition,
		clusterv1.MachineNodeReadyCondition, clusterv1.MachineNodeHealthyCondition,
	} {
		machine.Status.Conditions = append(machine.Status.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, Reason: "Synthetic", LastTransitionTime: now,
		})
	}
	return machine
}

func providerID(m Machine) string { return "synthetic://" + m.Name }
