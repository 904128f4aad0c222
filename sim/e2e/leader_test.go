package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/rights"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestStandbyTakesOver: one of two processes acts; when it is killed, the other takes over.
func TestStandbyTakesOver(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "leaders", Name: "led", Workers: 1}
	harness.Cluster(t, spec)
	mhc := healthCheck(spec.Key(), workers(spec.Key()))
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	elect := []string{"--leader-elect", "--leader-elect-namespace=" + rights.Namespace}
	leader := harness.Sickbay(t, spec.Namespace, elect...)
	g.Eventually(func() string { return holder(t) }).ShouldNot(BeEmpty())
	first := holder(t)
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	standby := harness.Sickbay(t, spec.Namespace, elect...)
	// It is connected to workload clusters already, which is a controller of its own.
	g.Eventually(func() []string { return standby.Log.Lines("Starting workers") }).Should(HaveExactElements(ContainSubstring(`controller="clustercache"`)), "the standby waits")

	g.Expect(leader.Kill()).To(Succeed())
	machines, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	sick := &machines[0]
	g.Expect(fault.StopKubelet{Cluster: spec.Key(), Node: sick.Status.NodeRef.Name}.Inject(t.Context(), harness.World)).To(Succeed())
	g.Eventually(func() bool { return isGone(t, sick) }).Should(BeTrue())
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	g.Expect(holder(t)).NotTo(Equal(first))
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
}

// holder returns the holder of the lease.
func holder(t *testing.T) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: rights.Namespace, Name: "sickbay-manager.in-leaders"}
	if err := harness.World.Client().Get(t.Context(), key, lease); err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
