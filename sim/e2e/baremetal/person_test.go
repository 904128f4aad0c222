package baremetal_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/useractions"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestPlannedReboots: machines are healthy. What a person asks for, by annotation or by a RebootRemediation, is carried out all the same, each by one
// record.
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
	record := byHand.ends(v1alpha1.ReasonDone)
	c.Expect(record.Spec.RequestedBy).To(HaveValue(Equal(v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByRequest, Name: request.Name, UID: request.UID})))
	c.Expect(record).To(tried("reboot: Succeeded"))
	c.told(request, record, metav1.ConditionTrue, v1alpha1.ReasonDone)
	byHand.recovers()
	c.Expect(byHand.hosts.Cycled(c.Context(), byHand.host)).To(Succeed())
}

// TestRebootByCommand: a person asks for the power cycle of a healthy machine while its MachineHealthCheck is paused. Its host is cycled once, and
// the record ends.
func TestRebootByCommand(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "bycommand", Workers: 2}, func(*clusterv1.MachineHealthCheck) {})
	workers := c.workers()
	pause := []byte(`{"metadata":{"annotations":{"` + clusterv1.PausedAnnotation + `":""}}}`)
	check := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: c.spec.Namespace, Name: c.spec.Name}}
	c.Expect(c.client.Patch(c.Context(), check, client.RawPatch(apitypes.MergePatchType, pause))).To(Succeed())
	asked := c.watch(&workers[0])
	ann := &useractions.Person{Client: c.client, Name: "ann", Writer: "ann", Clock: clock.RealClock{}}
	change, err := ann.Reboot(c.Context(), c.spec.Namespace, asked.machine.Name, useractions.Asked{Reason: "new firmware"})
	c.Expect(err).NotTo(HaveOccurred())
	_, err = change.Write(c.Context())
	c.Expect(err).NotTo(HaveOccurred())

	ended := asked.ends(v1alpha1.ReasonDone)
	c.Expect(ended.Spec.RequestedBy.String()).To(Equal("ann: new firmware"))
	c.Expect(ended).To(tried("reboot: Succeeded"))
	asked.recovers()
	c.Expect(asked.hosts.Cycled(c.Context(), asked.host)).To(Succeed())
}

// TestCalledOff: a person has a host kept off, and calls that off while its machine is sick. Its MachineHealthCheck, which would have it replaced, lets
// the Node come back.
func TestCalledOff(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "calledoff", Workers: 1}, func(*clusterv1.MachineHealthCheck) {})
	p := c.watch(&c.workers()[0])
	ann := &useractions.Person{Client: c.client, Name: "ann", Writer: "ann", Clock: clock.RealClock{}}
	change, err := ann.Reboot(c.Context(), c.spec.Namespace, p.machine.Name, useractions.Asked{Reason: "new DIMMs", Until: v1alpha1.StepPowerOff})
	c.Expect(err).NotTo(HaveOccurred())
	asked, err := change.Write(c.Context())
	c.Expect(err).NotTo(HaveOccurred())
	p.reaches(v1alpha1.Holding)
	p.Eventually(p.verdict(p.machine)).Should(Equal(metav1.ConditionFalse))

	record, err := ann.Record(c.Context(), asked.GetNamespace(), asked.GetName())
	c.Expect(err).NotTo(HaveOccurred())
	change, err = ann.Answer(c.Context(), record, preview.Asked{Answer: v1alpha1.AnswerCancel, By: "ann"})
	c.Expect(err).NotTo(HaveOccurred())
	_, err = change.Write(c.Context())
	c.Expect(err).NotTo(HaveOccurred())

	p.reaches(v1alpha1.Succeeded)
	p.Eventually(p.verdict(p.machine)).Should(Equal(metav1.ConditionTrue))
	p.await("the end of the record", func(e journal.Entry) bool {
		record, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && record.Name == asked.GetName() && journal.EndedAs(v1alpha1.ReasonCancelled)(record)
	})
}
