package e2e_test

import (
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// otherPool is the pool that upgrades in the upgrade course.
const otherPool = "others"

// upgraded: the cluster upgrades, and until that is done, nothing is done to the machine that falls sick meanwhile. Then
// its clock restarts, and it is replaced.
func upgraded(r *round, g *WithT) {
	r.Helper()
	mhc := &clusterv1.MachineHealthCheck{}
	is := func(state func(*clusterv1.MachineHealthCheck) bool) func(Gomega) {
		return func(g Gomega) {
			key := client.ObjectKeyFromObject(r.course.machineHealthCheck())
			g.Expect(stand.World.Client().Get(r.Context(), key, mhc)).To(Succeed())
			g.Expect(state(mhc)).To(BeTrue(), "%v", mhc.Annotations)
		}
	}
	stuck := r.beginUpgrade(g)
	g.Eventually(is(func(mhc *clusterv1.MachineHealthCheck) bool {
		return isPaused(mhc) && meta.IsStatusConditionTrue(mhc.Status.Conditions, clusterv1.PausedCondition)
	})).Should(Succeed())
	r.strike(g)
	g.Expect(stuck.Heal(r.Context(), stand.World)).To(Succeed())
	g.Eventually(is(isResumed)).Should(Succeed())
	deleted(r, g)
	r.madeMachines(g, 2) // one for the upgrade, one for the sick machine

	resumedAt, err := mhcspec.ResumedAt(mhc)
	g.Expect(err).NotTo(HaveOccurred())
	// Check the mark, not the verdict: a verdict that is in progress when the pause begins is still stored, without
	// consequences.
	marked, err := stand.Journal.Machine(r.Context(), r.sick.UID, "the mark", journal.Marked)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(marked.At).To(BeTemporally(">=", resumedAt.Add(r.course.timeout())), "the clock restarts")
}

// beginUpgrade makes Cluster API roll out another version in the other pool, and returns the fault that keeps the
// rollout from ending.
func (r *round) beginUpgrade(g *WithT) fault.Fault {
	r.Helper()
	others, err := stand.World.PoolMachines(r.Context(), r.cluster, otherPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(others).To(HaveLen(1))
	stuck := fault.HoldDeletion{Machine: client.ObjectKeyFromObject(&others[0])}
	g.Expect(stuck.Inject(r.Context(), stand.World)).To(Succeed())
	upgrade := fault.Upgrade{Cluster: r.cluster, MachineDeployment: world.MachineDeploymentName(r.cluster.Name, otherPool), Version: newer}
	if others[0].Spec.Version == newer {
		upgrade.Version = world.KubernetesVersion
	}
	g.Expect(upgrade.Inject(r.Context(), stand.World)).To(Succeed())
	return stuck
}
