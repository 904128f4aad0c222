package upstream_test

import (
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

var harness *e2e.Harness

func TestMain(m *testing.M) {
	os.Exit(e2e.Main(m, e2e.Options{Package: "e2e/upstream", World: world.Options{UpstreamMachineHealthCheck: true}}, func(h *e2e.Harness) { harness = h }))
}

var cluster = world.ClusterSpec{
	Namespace: "default", Name: "shared", Pools: []world.Pool{{Name: "ours", Size: 2}, {Name: "theirs", Size: 2}},
	Annotations: map[string]string{pause.OptionAnnotation: "true"},
}

// TestHandedOver: Sickbay serves the MachineHealthChecks that are handed over to it, Cluster API's own controller serves
// the others, and neither writes where the other does.
func TestHandedOver(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	harness.Cluster(t, cluster)
	ours, theirs := healthCheck("ours"), healthCheck("theirs")
	ours.Annotations = map[string]string{clusterv1.PausedAnnotation: "sickbay"}
	for _, mhc := range []*clusterv1.MachineHealthCheck{ours, theirs} {
		g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	}
	harness.Sickbay(t, cluster.Namespace, "--adopt=handed-over")
	for _, mhc := range []*clusterv1.MachineHealthCheck{ours, theirs} {
		g.Eventually(func(g Gomega) { settled(t, g, mhc) }).Should(Succeed())
	}
	for _, pool := range []string{"ours", "theirs"} {
		machines, err := harness.World.PoolMachines(t.Context(), cluster.Key(), pool)
		g.Expect(err).NotTo(HaveOccurred())
		stop := fault.StopKubelet{Cluster: cluster.Key(), Node: machines[0].Status.NodeRef.Name}
		g.Expect(stop.Inject(t.Context(), harness.World)).To(Succeed())
		gone(t, &machines[0])
	}
	for _, mhc := range []*clusterv1.MachineHealthCheck{ours, theirs} {
		g.Eventually(func(g Gomega) { settled(t, g, mhc) }).Should(Succeed())
	}
	for _, pool := range []string{"ours", "theirs"} {
		g.Expect(bySickbay(machinesOf(t, pool))).To(Equal(pool == "ours"), "who judged the machines of pool %s", pool)
	}
	expectTwoMasters(t, g, ours, theirs)
	expectNoFight(t, g)
	expectPause(t, g, ours, theirs)
}

// expectTwoMasters checks who wrote what on the two MachineHealthChecks.
func expectTwoMasters(t *testing.T, g *WithT, ours, theirs *clusterv1.MachineHealthCheck) {
	t.Helper()
	c := harness.World.Client()
	g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(ours), ours)).To(Succeed())
	g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs)).To(Succeed())
	g.Expect(bySickbay([]client.Object{theirs})).To(BeFalse(), "theirs is none of our business")
	g.Expect(bySickbay([]client.Object{ours})).To(BeTrue())
	g.Expect(meta.IsStatusConditionTrue(ours.Status.Conditions, clusterv1.PausedCondition)).To(BeTrue(), "upstream says that it is held off")
	g.Expect(meta.IsStatusConditionFalse(theirs.Status.Conditions, clusterv1.PausedCondition)).To(BeTrue())
	for _, entry := range ours.ManagedFields {
		if isSickbay(entry) {
			g.Expect(entry.FieldsV1.GetRawString()).NotTo(ContainSubstring(`\"type\":\"Paused\"`))
		}
	}
}

// expectNoFight checks for a while that no object changes: two controllers that overwrite each other would never stop.
func expectNoFight(t *testing.T, g *WithT) {
	t.Helper()
	versions := func() map[string]string {
		found := map[string]string{}
		for _, object := range append(append(machinesOf(t, "ours"), machinesOf(t, "theirs")...), healthChecks(t)...) {
			found[object.GetName()] = object.GetResourceVersion()
		}
		return found
	}
	const calm = 3 * time.Second
	last, since := versions(), time.Now()
	g.Eventually(func() time.Duration {
		if now := versions(); !equal(now, last) {
			last, since = now, time.Now()
		}
		return time.Since(since)
	}).WithPolling(200 * time.Millisecond).Should(BeNumerically(">", calm))
}

// expectPause upgrades the cluster: both MachineHealthChecks are paused meanwhile, and ours is never given back to
// Cluster API's controller.
func expectPause(t *testing.T, g *WithT, ours, theirs *clusterv1.MachineHealthCheck) {
	t.Helper()
	g.Expect(fault.Upgrade{Cluster: cluster.Key(), Version: "v1.36.4"}.Inject(t.Context(), harness.World)).To(Succeed())
	awaitPause(t, ours, mhcspec.HandedOverValue, mhcspec.HandedOverValue)
	awaitPause(t, theirs, mhcspec.UpgradeValue, "")
	expectKept(g, ours)
}
