package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestControlPlane: KubeadmControlPlane replaces a machine that Sickbay has marked. Sickbay does not overwrite what
// KubeadmControlPlane writes into the mark meanwhile.
func TestControlPlane(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "brains", Name: "brain", ControlPlaneReplicas: 3}
	harness.Cluster(t, spec)
	harness.Sickbay(t, spec.Namespace)
	mhc := healthCheck(spec.Key(), metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: clusterv1.MachineControlPlaneLabel, Operator: metav1.LabelSelectorOpExists},
	}})
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 3) }).Should(Succeed())

	machines, err := harness.World.ControlPlaneMachines(t.Context(), spec.Key())
	g.Expect(err).NotTo(HaveOccurred())
	sick := &machines[1]
	g.Expect(fault.StopKubelet{Cluster: spec.Key(), Node: sick.Status.NodeRef.Name}.Inject(t.Context(), harness.World)).To(Succeed())
	g.Eventually(func() bool { return isGone(t, sick) }).Should(BeTrue())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 3) }).Should(Succeed())

	marks := marksOf(sick)
	t.Logf("the marks on machine %s: %q", sick.Name, marks)
	g.Expect(len(marks)).To(BeNumerically(">", 1), "the owner says how it goes on")
	g.Expect(marks[0]).To(Equal(clusterv1.MachineOwnerRemediatedWaitingForRemediationReason))
	g.Expect(marks[1:]).NotTo(ContainElement(marks[0]), "Sickbay writes over what the owner says")
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
	g.Expect(touched(&machines[0])).To(BeFalse())
	g.Expect(touched(&machines[2])).To(BeFalse())
}

// marksOf returns the successive reasons of a machine's mark.
func marksOf(machine *clusterv1.Machine) []string {
	var reasons []string
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if !ok || m.UID != machine.UID {
			return false
		}
		mark := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		if mark != nil && (len(reasons) == 0 || reasons[len(reasons)-1] != mark.Reason) {
			reasons = append(reasons, mark.Reason)
		}
		return false
	})
	return reasons
}
