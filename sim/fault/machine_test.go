package fault_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

func TestMachineConditionSurvivesClusterAPI(t *testing.T) {
	g := newTest(t)
	machine := worker(t)
	key := client.ObjectKeyFromObject(machine)
	since := time.Now().Add(-time.Hour).Truncate(time.Second)
	power := fault.MachineCondition{Machine: key, Type: "PowerSupplied", Status: metav1.ConditionFalse, Message: "no power", Since: since}
	fan := fault.MachineCondition{Machine: key, Type: "FanTurning", Status: metav1.ConditionFalse, Reason: "Dust"}
	kubelet := fault.StopKubelet{Cluster: testCluster, Node: machine.Status.NodeRef.Name}

	inject(t, power)
	inject(t, fan)
	// This makes Cluster API patch the Machine's conditions.
	inject(t, kubelet)
	expectCondition(t, key, clusterv1.MachineNodeReadyCondition, haveStatus(metav1.ConditionUnknown))
	heal(t, kubelet)
	expectCondition(t, key, clusterv1.MachineNodeReadyCondition, haveStatus(metav1.ConditionTrue))

	heal(t, fan)
	g.Expect(conditionOf(t, key, fan.Type)).To(BeNil())
	g.Expect(conditionOf(t, key, power.Type)).To(And(
		haveStatus(metav1.ConditionFalse),
		HaveField("Reason", "Fault"),
		HaveField("Message", "no power"),
		HaveField("LastTransitionTime.Time", BeTemporally("==", since)),
	))
	heal(t, power)
	g.Expect(conditionOf(t, key, power.Type)).To(BeNil())
	g.Expect(conditionOf(t, key, clusterv1.MachineNodeReadyCondition)).To(haveStatus(metav1.ConditionTrue))
}

func TestHoldBack(t *testing.T) {
	g := newTest(t)
	worker(t)
	deployment := client.ObjectKey{Namespace: testCluster.Namespace, Name: world.MachineDeploymentName(testCluster.Name, world.DefaultPool)}
	f := fault.HoldBack{Cluster: testCluster, MachineDeployment: deployment.Name}
	inject(t, f)
	inject(t, f) // It must not store the endless startup time as the original one.
	scale(t, deployment, 4)

	var held *clusterv1.Machine
	g.Eventually(func() *clusterv1.Machine { held = provisionedWithoutNode(t, deployment); return held }).ShouldNot(BeNil())
	g.Expect(it.Ready(t.Context(), testCluster)).To(MatchError("machine " + held.Name + " has no node"))

	heal(t, f)
	g.Expect(it.Client().Delete(t.Context(), held)).To(Succeed())
	expectReplaced(t, client.ObjectKeyFromObject(held))
	scale(t, deployment, 3)
	g.Eventually(func() error { return it.Ready(t.Context(), testCluster) }).Should(Succeed())
}

func scale(t *testing.T, deployment client.ObjectKey, replicas int32) {
	t.Helper()
	g := newTest(t)
	object := &clusterv1.MachineDeployment{}
	g.Expect(it.Client().Get(t.Context(), deployment, object)).To(Succeed())
	original := object.DeepCopy()
	object.Spec.Replicas = new(replicas)
	g.Expect(it.Client().Patch(t.Context(), object, client.MergeFrom(original))).To(Succeed())
}

func provisionedWithoutNode(t *testing.T, deployment client.ObjectKey) *clusterv1.Machine {
	t.Helper()
	machines, err := it.DeploymentMachines(t.Context(), deployment)
	newTest(t).Expect(err).NotTo(HaveOccurred())
	for i, machine := range machines {
		provisioned := ptr.Deref(machine.Status.Initialization.InfrastructureProvisioned, false)
		if provisioned && !machine.Status.NodeRef.IsDefined() {
			return &machines[i]
		}
	}
	return nil
}

func TestHoldBackControlPlane(t *testing.T) {
	f := fault.HoldBack{Cluster: testCluster}
	inject(t, f)
	heal(t, f)
	worker(t)
}

func TestHoldDeletion(t *testing.T) {
	g := newTest(t)
	machine := worker(t)
	key := client.ObjectKeyFromObject(machine)
	f := fault.HoldDeletion{Machine: key}
	inject(t, f)
	g.Expect(it.Client().Delete(t.Context(), machine)).To(Succeed())
	expectCondition(t, key, clusterv1.MachineDeletingCondition, And(
		haveStatus(metav1.ConditionTrue),
		HaveField("Reason", clusterv1.MachineDeletingWaitingForPreTerminateHookReason),
	))
	heal(t, f)
	expectReplaced(t, key)
}
