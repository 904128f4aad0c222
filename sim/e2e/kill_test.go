package e2e_test

import (
	"math/rand/v2"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestKilled: killing the process at any moment, without a chance to clean up, does not change the outcome.
func TestKilled(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "killed", Name: "killed", Workers: 2}
	harness.Cluster(t, spec)
	mhc := healthCheck(spec.Key(), workers(spec.Key()))
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	first := harness.Sickbay(t, spec.Namespace)
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 2) }).Should(Succeed())
	before := len(seen(spec.Namespace))

	machines, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	sick := &machines[0]
	// Verdict, mark and replacement come between one and two seconds after the kubelet stops.
	moment := 800*time.Millisecond + rand.N(1200*time.Millisecond)
	t.Logf("killed %s after the kubelet stopped", moment)
	g.Expect(fault.StopKubelet{Cluster: spec.Key(), Node: sick.Status.NodeRef.Name}.Inject(t.Context(), harness.World)).To(Succeed())
	<-time.After(moment)
	g.Expect(first.Kill()).To(Succeed())
	harness.Sickbay(t, spec.Namespace)

	g.Eventually(func() bool { return isGone(t, sick) }).Should(BeTrue())
	g.Eventually(func(g Gomega) {
		g.Expect(harness.World.Ready(t.Context(), spec.Key())).To(Succeed())
		settled(t, g, mhc, 2)
	}).Should(Succeed())
	g.Expect(seen(spec.Namespace)).To(HaveLen(before+1), "one new machine")
	g.Expect(touched(&machines[1])).To(BeFalse())
	g.Eventually(func(g Gomega) { allClosed(g, spec.Namespace) }).Should(Succeed())
	g.Expect(harness.Journal.Records(sick.UID)).To(HaveLen(1), "the new leader goes on with the same record")
}
