package e2e_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestWatchFilters: two managers share a namespace by their watch filters. Each repairs the machines of its own cluster, at the first
// attempt, and leaves the repairs of the other alone.
func TestWatchFilters(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	const namespace = "filters"
	checks := map[string]*clusterv1.MachineHealthCheck{}
	for _, color := range []string{"red", "blue"} {
		spec := world.ClusterSpec{Namespace: namespace, Name: color, Workers: 1}
		harness.Cluster(t, spec)
		label := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"`+clusterv1.WatchLabel+`":"`+color+`"}}}`))
		cluster := &clusterv1.Cluster{}
		cluster.Namespace, cluster.Name = namespace, color
		g.Expect(harness.World.Client().Patch(t.Context(), cluster, label)).To(Succeed())
		checks[color] = healthCheck(spec.Key(), workers(spec.Key()))
		checks[color].Labels = map[string]string{clusterv1.WatchLabel: color}
		g.Expect(harness.World.Client().Create(t.Context(), checks[color])).To(Succeed())
		harness.Sickbay(t, namespace, "--watch-filter="+color)
	}
	for _, mhc := range checks {
		g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	}
	for _, mhc := range checks {
		key := client.ObjectKeyFromObject(mhc)
		machines, err := harness.World.PoolMachines(t.Context(), key, world.DefaultPool)
		g.Expect(err).NotTo(HaveOccurred())
		sick := &machines[0]
		g.Expect(fault.StopKubelet{Cluster: key, Node: sick.Status.NodeRef.Name}.Inject(t.Context(), harness.World)).To(Succeed())
		g.Eventually(func() bool { return isGone(t, sick) }).Should(BeTrue())
		g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	}
	g.Eventually(func(g Gomega) { allClosed(g, namespace) }).Should(Succeed())
	var records v1alpha1.MachineRemediationList
	g.Expect(harness.World.Client().List(t.Context(), &records, client.InNamespace(namespace))).To(Succeed())
	g.Expect(records.Items).To(HaveLen(2))
	for _, r := range records.Items {
		g.Expect(r.Status.Attempts).To(HaveLen(1), "%s: %+v", r.Name, r.Status)
		g.Expect(r.Status.Attempts[0].Result).To(Equal(v1alpha1.ResultSucceeded), "%s: %+v", r.Name, r.Status)
	}
}
