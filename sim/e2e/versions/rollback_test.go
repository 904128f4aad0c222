package versions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// TestRollback follows docs/operations/upgrade.md: this version has begun a repair of every kind, hands everything back, and stops. The
// version without MachineRemediations repairs what is still sick.
func TestRollback(t *testing.T) {
	i := newInstallation(t, "back")
	i.start(harness.Binary)
	i.strike()
	i.inTheMiddle()
	i.start(harness.Binary, "--adopt=handed-over")
	i.Eventually(func(g Gomega) {
		i.closed(g)
		g.Expect(journal.Marked(i.now(g, marked))).To(BeFalse(), "the mark that nobody has answered is withdrawn")
		g.Expect(i.request(g).GetUID()).To(BeEmpty(), "so is the request")
	}).Should(Succeed())

	i.start(before)
	i.Eventually(func(g Gomega) {
		g.Expect(journal.Marked(i.now(g, marked))).To(BeTrue())
		g.Expect(i.request(g).GetUID()).NotTo(BeEmpty())
	}).Should(Succeed(), "what is still sick is repaired by the version before")
	i.release()
	i.recovered()
	i.nothingLeft()
	for name, uid := range map[client.ObjectKey]types.UID{
		i.host(annotated): i.machines[annotated].UID, i.host(templated): i.machines[templated].UID,
	} {
		succeeded := 0
		for _, cycle := range i.cycles(i, uid) {
			if cycle.Status.Phase == v1alpha1.Succeeded {
				succeeded++
			}
		}
		i.Expect(succeeded).To(BeNumerically("<=", 1), "%s: a cycle that has helped is not repeated", name.Name)
	}
	i.Expect(harness.World.Host(client.ObjectKeyFromObject(i.theirs)).Boots()).To(Equal(i.boots[client.ObjectKeyFromObject(i.theirs)]+1), "what a person has asked for is done once")
}
