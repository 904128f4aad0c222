package fault_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

func TestStopKubelet(t *testing.T) {
	for _, status := range []corev1.ConditionStatus{"", corev1.ConditionFalse} {
		t.Run("status "+string(status), func(t *testing.T) {
			machine := worker(t)
			key := client.ObjectKeyFromObject(machine)
			f := fault.StopKubelet{Cluster: testCluster, Node: machine.Status.NodeRef.Name, Status: status}
			want := metav1.ConditionUnknown
			if status == corev1.ConditionFalse {
				want = metav1.ConditionFalse
			}
			inject(t, f)
			expectCondition(t, key, clusterv1.MachineNodeReadyCondition, haveStatus(want))
			heal(t, f)
			expectCondition(t, key, clusterv1.MachineNodeReadyCondition, haveStatus(metav1.ConditionTrue))
		})
	}
}

func TestStopKubeletInThePast(t *testing.T) {
	g := newTest(t)
	name := worker(t).Status.NodeRef.Name
	since := time.Now().Add(-time.Hour).Truncate(time.Second)
	f := fault.StopKubelet{Cluster: testCluster, Node: name, Since: since}
	inject(t, f)
	node := &corev1.Node{}
	g.Expect(it.WorkloadClient(testCluster).Get(t.Context(), client.ObjectKey{Name: name}, node)).To(Succeed())
	g.Expect(node.Status.Conditions[0].LastTransitionTime.Time).To(BeTemporally("==", since))
	heal(t, f)
}

func TestNodeCondition(t *testing.T) {
	g := newTest(t)
	machine := worker(t)
	key := client.ObjectKeyFromObject(machine)
	pressure := fault.NodeCondition{Cluster: testCluster, Node: machine.Status.NodeRef.Name, Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}
	custom := fault.NodeCondition{Cluster: testCluster, Node: machine.Status.NodeRef.Name, Type: "KernelDeadlock", Status: corev1.ConditionTrue}
	inject(t, pressure)
	inject(t, custom)
	expectCondition(t, key, clusterv1.MachineNodeHealthyCondition, haveStatus(metav1.ConditionFalse))
	heal(t, pressure)
	heal(t, custom)
	expectCondition(t, key, clusterv1.MachineNodeHealthyCondition, haveStatus(metav1.ConditionTrue))
	node := &corev1.Node{}
	g.Expect(it.WorkloadClient(testCluster).Get(t.Context(), client.ObjectKey{Name: machine.Status.NodeRef.Name}, node)).To(Succeed())
	g.Expect(node.Status.Conditions).NotTo(ContainElement(HaveField("Type", custom.Type)))
}

func nodeGone(t *testing.T, name string) bool {
	t.Helper()
	return apierrors.IsNotFound(it.WorkloadClient(testCluster).Get(t.Context(), client.ObjectKey{Name: name}, &corev1.Node{}))
}

func TestDeletedNodeStaysAwayAndIsReplaced(t *testing.T) {
	g := newTest(t)
	machine := worker(t)
	key := client.ObjectKeyFromObject(machine)
	f := fault.DeleteNode{Cluster: testCluster, Node: machine.Status.NodeRef.Name}
	inject(t, f)
	expectCondition(t, key, clusterv1.MachineNodeReadyCondition, And(
		haveStatus(metav1.ConditionFalse),
		HaveField("Reason", clusterv1.MachineNodeDeletedReason),
	))
	g.Consistently(func() bool { return nodeGone(t, f.Node) }).WithTimeout(time.Second).Should(BeTrue())

	inject(t, fault.MachineCondition{Machine: key, Type: clusterv1.MachineHealthCheckSucceededCondition, Status: metav1.ConditionFalse})
	inject(t, fault.MachineCondition{Machine: key, Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse})
	expectReplaced(t, key)
	heal(t, f)
}

func TestDeletedNodeComesBack(t *testing.T) {
	g := newTest(t)
	for _, machine := range []*clusterv1.Machine{worker(t), controlPlaneMachine(t)} {
		f := fault.DeleteNode{Cluster: testCluster, Node: machine.Status.NodeRef.Name}
		inject(t, f)
		g.Expect(nodeGone(t, f.Node)).To(BeTrue())
		heal(t, f)
		g.Eventually(func() error { return it.Ready(t.Context(), testCluster) }).Should(Succeed())
	}
}

func controlPlaneMachine(t *testing.T) *clusterv1.Machine {
	t.Helper()
	machines, err := it.ControlPlaneMachines(t.Context(), testCluster)
	newTest(t).Expect(err).NotTo(HaveOccurred())
	return &machines[0]
}
