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
	w := newSite(t, "back")
	w.start(stand.Binary)
	w.strike()
	w.inTheMiddle()
	w.start(stand.Binary, "--adopt=handed-over")
	w.Eventually(func(g Gomega) {
		w.closed(g)
		g.Expect(journal.Marked(w.now(g, marked))).To(BeFalse(), "the mark that nobody has answered is withdrawn")
		g.Expect(w.request(g).GetUID()).To(BeEmpty(), "so is the request")
	}).Should(Succeed())

	w.start(before)
	w.Eventually(func(g Gomega) {
		g.Expect(journal.Marked(w.now(g, marked))).To(BeTrue())
		g.Expect(w.request(g).GetUID()).NotTo(BeEmpty())
	}).Should(Succeed(), "what is still sick is repaired by the version before")
	w.release()
	w.recovered()
	w.nothingLeft()
	for name, uid := range map[client.ObjectKey]types.UID{
		w.host(annotated): w.machines[annotated].UID, w.host(templated): w.machines[templated].UID,
	} {
		succeeded := 0
		for _, cycle := range w.cycles(w, uid) {
			if cycle.Status.Phase == v1alpha1.Succeeded {
				succeeded++
			}
		}
		w.Expect(succeeded).To(BeNumerically("<=", 1), "%s: a cycle that has helped is not repeated", name.Name)
	}
	w.Expect(stand.World.Host(client.ObjectKeyFromObject(w.theirs)).Boots()).To(Equal(w.boots[client.ObjectKeyFromObject(w.theirs)]+1), "what a person has asked for is done once")
}
