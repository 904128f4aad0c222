package fault_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// newTest returns a Gomega whose Eventually polls often and waits long.
func newTest(t *testing.T) *WithT {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	g.SetDefaultEventuallyPollingInterval(5 * time.Millisecond)
	return g
}

// worker returns a worker of the test cluster, once all its machines are healthy.
func worker(t *testing.T) *clusterv1.Machine {
	t.Helper()
	g := newTest(t)
	g.Eventually(func() error { return it.Ready(t.Context(), testCluster) }).Should(Succeed())
	machines, err := it.PoolMachines(t.Context(), testCluster, world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(machines).NotTo(BeEmpty())
	return &machines[0]
}
