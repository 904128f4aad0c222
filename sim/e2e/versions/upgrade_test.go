package versions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestUpgrade: the version without MachineRemediations has begun a repair of every kind, and stops. The current version takes them
// over: each gets a record, nothing is requested twice, and in the end nothing is left behind.
func TestUpgrade(t *testing.T) {
	w := newSite(t, "up")
	w.start(before)
	w.strike()
	made := w.inTheMiddle()
	w.start(stand.Binary)
	w.Eventually(func(g Gomega) {
		for name, step := range map[string]string{marked: "replace", requested: "request"} {
			records := w.records(g, w.machines[name].UID)
			g.Expect(records).To(HaveLen(1), name)
			g.Expect(records[0].Status.Step).To(Equal(step))
			g.Expect(records[0].Status.Phase).To(Equal(v1alpha1.RemediationActing), "%s: %+v", name, records[0].Status)
		}
	}).Should(Succeed())
	w.Expect(w.request(w).GetUID()).To(Equal(made[requested]), "the request is the one that was there")
	for _, name := range []string{leaving, unowned} {
		w.Expect(w.records(w, w.machines[name].UID)).To(BeEmpty(), "a machine that is being deleted needs no repair any more")
	}
	w.release()
	w.recovered()
	w.nothingLeft()

	w.Expect(stand.Journal.Marks(w.machines[marked].UID)).To(Equal(1))
	for host, boots := range w.boots {
		w.Expect(stand.World.Host(host).Boots()).To(Equal(boots+1), "%s: cycled once", host)
	}
	for name, uid := range map[string]types.UID{annotated: w.machines[annotated].UID, "openshift": w.theirs.UID} {
		for _, cycle := range w.cycles(w, uid) {
			w.Expect(cycle.UID).To(Equal(made[name]), "%s: no other cycle was begun", name)
		}
	}
}

// records returns the MachineRemediations of a machine.
func (w *site) records(g Gomega, machine types.UID) []v1alpha1.MachineRemediation {
	var all v1alpha1.MachineRemediationList
	g.Expect(w.client.List(w.Context(), &all, client.InNamespace(w.ns))).To(Succeed())
	var its []v1alpha1.MachineRemediation
	for _, record := range all.Items {
		if record.Spec.MachineRef.UID == machine {
			its = append(its, record)
		}
	}
	return its
}
