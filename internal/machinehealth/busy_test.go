package machinehealth

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestBusyClusterIsNoVerdict: while somebody else waits for a workload cluster, the verdict stays as it is, and the Machine is judged again soon.
func TestBusyClusterIsNoVerdict(t *testing.T) {
	for name, sick := range map[string]bool{"sick": true, "healthy": false} {
		t.Run(name, func(t *testing.T) {
			g, f := NewWithT(t), newHarness(t)
			if f.reconcile(); sick {
				f.sicken()
			}
			stored := func() *clusterv1.Machine {
				machine := &clusterv1.Machine{}
				g.Expect(f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.machine), machine)).To(Succeed())
				return machine
			}
			before := stored()
			f.nodes.Busy(f.clusterKey(), true)
			f.clock.SetTime(f.start.Add(time.Hour))
			g.Expect(f.reconcile()).To(And(BeNumerically(">", 0), BeNumerically("<=", time.Second)))
			g.Expect(stored().ResourceVersion).To(Equal(before.ResourceVersion))
		})
	}
}
