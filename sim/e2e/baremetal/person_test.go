package baremetal_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestPlannedReboots: machines are healthy, and their MachineHealthCheck would create RebootRemediations from a template. A person's
// request, by annotation or by hand, is still carried out.
func TestPlannedReboots(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "planned", Workers: 2}, byTemplate(t, v1alpha1.RebootSettings{}))
	workers := c.workers()
	annotated := c.watch(&workers[0])
	annotated.has(baremetal.Faults{OffTakes: slow})
	annotated.rebootedByPerson()

	byHand := c.watch(&workers[1])
	byHand.has(baremetal.Faults{OffTakes: slow})
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: byHand.machine.Namespace, Name: "reboot-" + byHand.machine.Name},
		Spec:       v1alpha1.RebootRemediationSpec{Machine: &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: byHand.machine.Name}, RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}},
	}
	c.Expect(c.client.Create(c.Context(), request)).To(Succeed())
	c.await("the end of what was made by hand", func(e journal.Entry) bool {
		r, ok := e.Object.(*v1alpha1.RebootRemediation)
		return ok && r.UID == request.UID && r.Status.Phase == v1alpha1.Succeeded
	})
	c.Expect(byHand.hosts.Cycled(c.Context(), byHand.host)).To(Succeed())
}
