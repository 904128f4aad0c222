package baremetal_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestControlPlane: all machines of a control plane are sick at once. A person permits the loss of its quorum, and the machines are
// cycled one at a time.
func TestControlPlane(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{
		Name: "quorum", ControlPlaneReplicas: 3, Annotations: map[string]string{quorum.Permission: "true"},
	}, byTemplate(t, v1alpha1.RebootSettings{}))
	machines, err := c.world.ControlPlaneMachines(c.Context(), c.spec.Key())
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(machines).To(HaveLen(3))
	var sick []*sickMachine
	var hosts []client.ObjectKey
	for i := range machines {
		c.Eventually(c.verdict(&machines[i])).Should(Equal(metav1.ConditionTrue))
		sick = append(sick, c.watch(&machines[i]))
		hosts = append(hosts, sick[i].host)
	}
	for _, p := range sick {
		p.hangs()
	}
	var cycles []span
	for _, p := range sick {
		p.recovers()
		cycles = append(cycles, span{p.reaches(v1alpha1.PoweringOff).At, p.reaches(v1alpha1.Succeeded).At})
	}
	c.Expect(sick[2].hosts.Cycled(c.Context(), hosts...)).To(Succeed())
	slices.SortFunc(cycles, func(a, b span) int { return a.from.Compare(b.from) })
	for i := range cycles[1:] {
		c.Expect(cycles[i+1].from).To(BeTemporally(">=", cycles[i].to), "one cycle begins when the one before has ended: %v", cycles)
	}
}

type span struct{ from, to time.Time }
