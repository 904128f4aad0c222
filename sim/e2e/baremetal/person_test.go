package baremetal_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/people"
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

// TestRebootByCommand: a person asks for the power cycle of a healthy machine while its MachineHealthCheck is paused. Its host is cycled once, and
// the record ends.
func TestRebootByCommand(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "bycommand", Workers: 2}, func(*clusterv1.MachineHealthCheck) {})
	workers := c.workers()
	pause := []byte(`{"metadata":{"annotations":{"` + clusterv1.PausedAnnotation + `":""}}}`)
	check := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: c.spec.Namespace, Name: c.spec.Name}}
	c.Expect(c.client.Patch(c.Context(), check, client.RawPatch(types.MergePatchType, pause))).To(Succeed())
	asked := c.watch(&workers[0])
	ann := &people.Person{Client: c.client, Name: "ann", Writer: "ann", Clock: clock.RealClock{}}
	change, err := ann.Reboot(c.Context(), c.spec.Namespace, asked.machine.Name, "new firmware")
	c.Expect(err).NotTo(HaveOccurred())
	_, err = change.Write(c.Context())
	c.Expect(err).NotTo(HaveOccurred())

	ended := c.await("the end of what ann asked for", func(e journal.Entry) bool {
		r, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && r.Spec.MachineRef.UID == asked.machine.UID && journal.EndedAs(v1alpha1.ReasonDone)(r)
	}).Object.(*v1alpha1.MachineRemediation)
	c.Expect(ended.Spec.RequestedBy.String()).To(Equal("ann: new firmware"))
	c.Expect(ended.Status.Attempts).To(HaveExactElements(HaveField("Result", v1alpha1.ResultSucceeded)))
	asked.recovers()
	c.Expect(asked.hosts.Cycled(c.Context(), asked.host)).To(Succeed())
	c.Expect(harness.Journal.Records(asked.machine.UID)).To(HaveLen(1))
}
