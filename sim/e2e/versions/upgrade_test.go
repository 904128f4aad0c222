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
	i := newInstallation(t, "up")
	i.start(before)
	i.strike()
	made := i.inTheMiddle()
	i.start(harness.Binary)
	i.Eventually(func(g Gomega) {
		for name, step := range map[string]string{marked: "replace", requested: "request"} {
			records := i.records(g, i.machines[name].UID)
			g.Expect(records).To(HaveLen(1), name)
			g.Expect(records[0].Status.Step).To(Equal(step))
			g.Expect(records[0].Status.Phase).To(Equal(v1alpha1.RemediationActing), "%s: %+v", name, records[0].Status)
		}
	}).Should(Succeed())
	i.Expect(i.request(i).GetUID()).To(Equal(made[requested]), "the request is the one that was there")
	for _, name := range []string{leaving, unowned} {
		i.Expect(i.records(i, i.machines[name].UID)).To(BeEmpty(), "a machine that is being deleted needs no repair any more")
	}
	i.release()
	i.recovered()
	i.nothingLeft()

	i.Expect(harness.Journal.Marks(i.machines[marked].UID)).To(Equal(1))
	for host, boots := range i.boots {
		i.Expect(harness.World.Host(host).Boots()).To(Equal(boots+1), "%s: cycled once", host)
	}
	for name, uid := range map[string]types.UID{annotated: i.machines[annotated].UID, "openshift": i.theirs.UID} {
		for _, cycle := range i.cycles(i, uid) {
			i.Expect(cycle.UID).To(Equal(made[name]), "%s: no other cycle was begun", name)
		}
	}
}

// records returns the MachineRemediations of a machine.
func (i *installation) records(g Gomega, machine types.UID) []v1alpha1.MachineRemediation {
	var all v1alpha1.MachineRemediationList
	g.Expect(i.client.List(i.Context(), &all, client.InNamespace(i.ns))).To(Succeed())
	var its []v1alpha1.MachineRemediation
	for _, record := range all.Items {
		if record.Spec.MachineRef.UID == machine {
			its = append(its, record)
		}
	}
	return its
}
