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
	w := newSite(t, world.ClusterSpec{
		Name: "quorum", ControlPlaneReplicas: 3, Annotations: map[string]string{quorum.Permission: "true"},
	}, byTemplate(t, v1alpha1.RebootSettings{}))
	machines, err := w.world.ControlPlaneMachines(w.Context(), w.spec.Key())
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(machines).To(HaveLen(3))
	var sick []*sickMachine
	var hosts []client.ObjectKey
	for i := range machines {
		w.Eventually(w.verdict(&machines[i])).Should(Equal(metav1.ConditionTrue))
		sick = append(sick, w.watch(&machines[i]))
		hosts = append(hosts, sick[i].host)
	}
	for _, p := range sick {
		p.hangs()
	}
	var cycles []span
	for _, p := range sick {
		p.recovers()
		w.Eventually(w.isGone(p.request())).Should(BeTrue())
		cycles = append(cycles, span{p.reaches(v1alpha1.PoweringOff).At, p.reaches(v1alpha1.Succeeded).At})
	}
	w.Expect(sick[2].hosts.Cycled(w.Context(), hosts...)).To(Succeed())
	slices.SortFunc(cycles, func(a, b span) int { return a.from.Compare(b.from) })
	for i := range cycles[1:] {
		w.Expect(cycles[i+1].from).To(BeTemporally(">=", cycles[i].to), "one cycle begins when the one before has ended: %v", cycles)
	}
}

type span struct{ from, to time.Time }
