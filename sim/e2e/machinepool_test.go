package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestMachinePool: a MachinePool never answers, so its plan deletes sick machines. Each is deleted once, one after the other, without a mark, and the
// pool's next machine proves itself. A pool without Machines is left alone.
func TestMachinePool(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "pooled", Name: "pooled", Workers: 1}
	harness.Cluster(t, spec)
	g.Expect(harness.World.CreateMachinePool(t.Context(), spec.Key(), "pool", 3, true)).To(Succeed())
	g.Expect(harness.World.CreateMachinePool(t.Context(), spec.Key(), "machineless", 2, false)).To(Succeed())
	plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: spec.Namespace, Name: "deletion"}}
	plan.Spec.Template.Spec = v1alpha1.RemediationPlan{
		MaxInFlight: new(intstr.FromInt32(1)), ProbationSeconds: new(int32(1)), RelapseWindowSeconds: new(int32(0)),
		Steps: []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, By: v1alpha1.ReplaceByDeletion, TimeoutSeconds: new(int32(300))}},
	}
	checks := map[string]*clusterv1.MachineHealthCheck{}
	for _, pool := range []string{"pool", "machineless"} {
		mhc := healthCheck(spec.Key(), metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachinePoolNameLabel: pool}})
		mhc.Name = pool
		mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: plan.Name}
		checks[pool] = mhc
		g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	}
	g.Expect(harness.World.Client().Create(t.Context(), plan)).To(Succeed())
	harness.Sickbay(t, spec.Namespace)
	g.Eventually(func(g Gomega) { settled(t, g, checks["pool"], 3) }).Should(Succeed())

	machines, err := harness.World.Machines(t.Context(), spec.Key(), client.MatchingLabels{clusterv1.MachinePoolNameLabel: "pool"})
	g.Expect(err).NotTo(HaveOccurred())
	sick := machines[:2]
	for i := range sick {
		happens(t, fault.StopKubelet{Cluster: spec.Key(), Node: sick[i].Status.NodeRef.Name})
	}
	var deleted []journal.Entry
	for i := range sick {
		entry, err := harness.Journal.Record(waitContext(t), sick[i].UID, "the end of the repair of "+sick[i].Name, journal.EndedAs(v1alpha1.ReasonReplaced))
		g.Expect(err).NotTo(HaveOccurred())
		record := entry.Object.(*v1alpha1.MachineRemediation)
		g.Expect(record.Status.Attempts).To(HaveLen(1))
		g.Expect(record.Status.Attempts[0].ObjectRef.Kind).To(Equal("MachinePool"))
		deletion := becomes(t, &sick[i], "the deletion", journal.Deleting)
		g.Expect(record.Status.Attempts[0].BeganAt.Time).To(BeTemporally("==", deletion.Object.GetDeletionTimestamp().Time))
		g.Expect(harness.Journal.Records(sick[i].UID)).To(HaveLen(1))
		g.Expect(harness.Journal.Marks(sick[i].UID)).To(BeZero())
		deleted = append(deleted, deletion)
	}
	g.Eventually(func(g Gomega) { settled(t, g, checks["pool"], 3) }).Should(Succeed(), "the pool is as large as before")
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
	first, second := 0, 1
	if deleted[1].Before(deleted[0]) {
		first, second = 1, 0
	}
	ended, err := harness.Journal.Record(waitContext(t), sick[first].UID, "the end of the first repair", journal.EndedAs(v1alpha1.ReasonReplaced))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ended.Before(deleted[second])).To(BeTrue(), "one slot: the second is deleted after the first is proven")
	g.Expect(touched(&machines[2])).To(BeFalse(), "the healthy machine is not touched")

	g.Eventually(func(g Gomega) { settled(t, g, checks["machineless"], 0) }).Should(Succeed())
	alone := &clusterv1.MachinePool{}
	g.Expect(harness.World.Client().Get(t.Context(), client.ObjectKey{Namespace: spec.Namespace, Name: "machineless"}, alone)).To(Succeed())
	g.Expect(alone.DeletionTimestamp.IsZero()).To(BeTrue())
}
