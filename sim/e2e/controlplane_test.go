package e2e_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
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

// TestTwoControlPlaneMachines: two of three machines of a control plane fall sick at once. KubeadmControlPlane replaces one after the other.
// While a machine waits for the other, its repair has not begun, and its time does not run.
func TestTwoControlPlaneMachines(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "twobrains", Name: "twobrains", ControlPlaneReplicas: 3}
	harness.Cluster(t, spec)
	harness.Sickbay(t, spec.Namespace)
	g.Expect(harness.World.Client().Create(t.Context(), replacements(spec.Namespace, 1))).To(Succeed())
	mhc := healthCheck(spec.Key(), metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: clusterv1.MachineControlPlaneLabel, Operator: metav1.LabelSelectorOpExists},
	}})
	mhc.Spec.Remediation.TemplateRef = planRef
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 3) }).Should(Succeed())

	machines, err := harness.World.ControlPlaneMachines(t.Context(), spec.Key())
	g.Expect(err).NotTo(HaveOccurred())
	for i := range 2 {
		happens(t, fault.StopKubelet{Cluster: spec.Key(), Node: machines[i].Status.NodeRef.Name})
	}
	a, b := replacedOnce(t, &machines[0]), replacedOnce(t, &machines[1])
	if b.deleted.Before(a.deleted) {
		a, b = b, a
	}
	t.Logf("one machine was deleted at %s and gone at %s, the other one deleted at %s", a.deleted.At, a.gone.At, b.deleted.At)
	g.Expect(a.gone.Before(b.deleted)).To(BeTrue(), "one after the other")
	g.Expect(b.began).To(BeTemporally("~", b.deleted.At, 2*time.Second), "it begins when its owner turns to it")
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 3) }).Should(Succeed())
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
	g.Expect(touched(&machines[2])).To(BeFalse())
}

// replacement is how a machine was replaced.
type replacement struct {
	deleted, gone journal.Entry
	began         time.Time
}

// replacedOnce waits until a machine is replaced, and expects that its record never tried anything else, nor was held.
func replacedOnce(t *testing.T, machine *clusterv1.Machine) replacement {
	t.Helper()
	g := newTest(t)
	r := replacement{deleted: becomes(t, machine, "the deletion", journal.Deleting)}
	var err error
	r.gone, err = harness.Journal.Gone(waitContext(t), machine.UID, "the end of machine "+machine.Name)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = harness.Journal.Record(waitContext(t), machine.UID, "the end of its record", journal.EndedAs(v1alpha1.ReasonReplaced))
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("the marks on machine %s: %q", machine.Name, marksOf(machine))
	records := harness.Journal.Records(machine.UID)
	g.Expect(tried(records)).To(Equal([]string{"replace: Succeeded"}))
	r.began = records[0].Status.Attempts[0].BeganAt.Time
	_, held := harness.Journal.Find(func(e journal.Entry) bool {
		record, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && record.Spec.MachineRef.UID == machine.UID && record.Status.Phase == v1alpha1.RemediationHeld
	})
	g.Expect(held).To(BeFalse(), "it was held meanwhile")
	return r
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

// replacements returns a plan with some replacements.
func replacements(namespace string, attempts int32) *v1alpha1.MachineRemediationTemplate {
	template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: planRef.Name}}
	template.Spec.Template.Spec = v1alpha1.RemediationPlan{
		ProbationSeconds: new(int32(1)),
		Steps:            []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(150)), Attempts: attempts}},
	}
	return template
}
