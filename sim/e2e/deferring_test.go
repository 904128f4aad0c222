package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestUpgradeWhileOwnerDefers: a MachineSet may have one machine repaired at a time, so it defers another one that is marked, and the cluster
// begins to upgrade. The mark is withdrawn during the pause. So when the machine is healthy again and the MachineSet could go on, it
// deletes nothing, neither during the pause nor afterwards.
func TestUpgradeWhileOwnerDefers(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{
		Namespace: "deferring", Name: "deferring", Workers: 2, Pools: []world.Pool{{Name: otherPool, Size: 1}},
		Annotations: map[string]string{pause.OptionAnnotation: "true"},
	}
	harness.Cluster(t, spec)
	oneAtATime(t, spec)
	mhc := healthCheck(spec.Key(), workers(spec.Key()))
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	harness.Sickbay(t, spec.Namespace)
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 2) }).Should(Succeed())
	machines, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	first, second := &machines[0], &machines[1]

	going := fault.HoldDeletion{Machine: client.ObjectKeyFromObject(first)}
	happens(t, going)
	happens(t, fault.StopKubelet{Cluster: spec.Key(), Node: first.Status.NodeRef.Name})
	becomes(t, first, "the deletion by the owner", journal.Deleting)
	silent := fault.StopKubelet{Cluster: spec.Key(), Node: second.Status.NodeRef.Name}
	happens(t, silent)
	becomes(t, second, "the deferral", func(m *clusterv1.Machine) bool {
		mark := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		return mark != nil && mark.Reason == clusterv1.MachineSetMachineRemediationDeferredReason
	})

	upgrade := beginUpgrade(t, spec)
	paused, err := harness.Journal.MachineHealthCheck(waitContext(t), client.ObjectKeyFromObject(mhc), "the pause", isPaused)
	g.Expect(err).NotTo(HaveOccurred())
	unmarked, err := harness.Journal.Await(waitContext(t), "the withdrawal of the mark", func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == second.UID && paused.Before(e) && !journal.Marked(m)
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("the mark was withdrawn %s after the pause", unmarked.At.Sub(paused.At))
	g.Expect(silent.Heal(t.Context(), harness.World)).To(Succeed())
	g.Expect(going.Heal(t.Context(), harness.World)).To(Succeed())
	g.Eventually(func() bool { return isGone(t, first) }).Should(BeTrue())
	g.Eventually(func(g Gomega) {
		now, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now).To(HaveLen(2))
		for _, m := range now {
			g.Expect(meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineNodeReadyCondition)).To(BeTrue())
		}
	}).Should(Succeed(), "the MachineSet has replaced the first machine")
	g.Expect(touchedSince(second, unmarked)).To(BeFalse(), "touched under the pause")

	g.Expect(upgrade.Heal(t.Context(), harness.World)).To(Succeed())
	_, err = harness.Journal.MachineHealthCheck(waitContext(t), client.ObjectKeyFromObject(mhc), "the end of the pause", isResumed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 2) }).Should(Succeed())
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
	g.Expect(touchedSince(second, unmarked)).To(BeFalse(), "touched after the pause")
	records := harness.Journal.Records(second.UID)
	g.Expect(records).To(HaveLen(1))
	g.Expect(journal.EndedAs(v1alpha1.ReasonRecoveredUnaided)(records[0])).To(BeTrue(), "%+v", records[0].Status)
	g.Expect(records[0].Status.Attempts).To(HaveEach(HaveField("Result", v1alpha1.ResultNotBegun)))
}

// oneAtATime lets the owner of the workers repair one of them at a time.
func oneAtATime(t *testing.T, spec world.ClusterSpec) {
	t.Helper()
	g := newTest(t)
	deployment := &clusterv1.MachineDeployment{}
	key := client.ObjectKey{Namespace: spec.Namespace, Name: world.MachineDeploymentName(spec.Name, world.DefaultPool)}
	g.Expect(harness.World.Client().Get(t.Context(), key, deployment)).To(Succeed())
	before := deployment.DeepCopy()
	deployment.Spec.Remediation.MaxInFlight = new(intstr.FromInt32(1))
	g.Expect(harness.World.Client().Patch(t.Context(), deployment, client.MergeFrom(before))).To(Succeed())
}

// beginUpgrade upgrades another pool of the cluster. The upgrade ends some time after what is returned is healed.
func beginUpgrade(t *testing.T, spec world.ClusterSpec) fault.Fault {
	t.Helper()
	g := newTest(t)
	others, err := harness.World.PoolMachines(t.Context(), spec.Key(), otherPool)
	g.Expect(err).NotTo(HaveOccurred())
	held := fault.HoldDeletion{Machine: client.ObjectKeyFromObject(&others[0])}
	happens(t, held)
	happens(t, fault.Upgrade{Cluster: spec.Key(), MachineDeployment: world.MachineDeploymentName(spec.Name, otherPool), Version: newer})
	return held
}

// happens injects a fault.
func happens(t *testing.T, f fault.Fault) {
	t.Helper()
	newTest(t).Expect(f.Inject(t.Context(), harness.World)).To(Succeed())
}

// becomes waits for a state of a machine.
func becomes(t *testing.T, machine *clusterv1.Machine, what string, matches func(*clusterv1.Machine) bool) journal.Entry {
	t.Helper()
	entry, err := harness.Journal.Machine(waitContext(t), machine.UID, what+" of machine "+machine.Name, matches)
	newTest(t).Expect(err).NotTo(HaveOccurred())
	return entry
}

// touchedSince reports whether anything was done to a machine after a state of it.
func touchedSince(machine *clusterv1.Machine, since journal.Entry) bool {
	_, found := harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && since.Before(e) && (e.Gone || journal.Deleting(m) || journal.Marked(m))
	})
	return found
}
