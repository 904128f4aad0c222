package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestBrokenKubeconfig: Sickbay does not touch the machines of a cluster that cannot be reached, and the verdict says
// what a person can repair.
func TestBrokenKubeconfig(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "broken", Name: "broken", Workers: 1}
	harness.Cluster(t, spec)
	broken := fault.BreakKubeconfig{Cluster: spec.Key()}
	g.Expect(broken.Inject(t.Context(), harness.World)).To(Succeed())
	mhc := healthCheck(spec.Key(), workers(spec.Key()))
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	harness.Sickbay(t, spec.Namespace)

	machines, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	machine := &machines[0]
	entry, err := harness.Journal.Machine(waitContext(t), machine.UID, "the verdict", journal.HasVerdict(metav1.ConditionUnknown, "NodeUnavailable"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(journal.Verdict(entry.Object.(*clusterv1.Machine)).Message).To(Equal(
		`Node cannot be read: the kubeconfig secret broken-kubeconfig cannot be used: its key "value" holds no valid kubeconfig`))

	g.Expect(broken.Heal(t.Context(), harness.World)).To(Succeed())
	_, err = harness.Journal.Machine(waitContext(t), machine.UID, "the recovery", journal.HasVerdict(metav1.ConditionTrue, "Succeeded"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).WithTimeout(e2e.Patience).Should(Succeed())
	g.Expect(touched(machine)).To(BeFalse())
}
