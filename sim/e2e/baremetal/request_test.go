package baremetal_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestTemplate: a MachineHealthCheck has a templateRef. ExternallyRemediated on the Machine shows the progress; the owner gets no request.
func TestTemplate(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "template", Workers: 2}, byTemplate(t, v1alpha1.RebootSettings{}))
	p := c.watch(&c.workers()[0])
	p.has(baremetal.Faults{OffTakes: slow})
	p.hangs()
	p.recovers()
	p.await("ExternallyRemediated=True", func(e journal.Entry) bool {
		condition := p.externallyRemediated(e)
		return condition != nil && condition.Status == metav1.ConditionTrue
	})
	c.Eventually(c.isGone(p.request())).Should(BeTrue(), "the machine is healthy, so the request is removed")
	c.Expect(p.hosts.Cycled(c.Context(), p.host)).To(Succeed())
	progress := p.progress()
	c.Expect(progress[len(progress)-1]).To(Equal("True Succeeded"))
	// The health check first says that it waits, unless there is more to say by then. A short phase may be missing, but none may be out of order.
	order := []string{
		"False WaitingForRemediation", "False Pending", "False PoweringOff", "False Fenced", "False Isolating", "False PoweringOn",
		"False WaitingForNode", "False Restoring", "False WaitingForMachine", "True Succeeded",
	}
	c.Expect(slices.DeleteFunc(order, func(s string) bool { return !slices.Contains(progress, s) })).To(Equal(progress))
	c.Expect(progress).To(ContainElement("False PoweringOff"), "a person sees what is waited for")
	c.Expect(p.marked()).To(BeFalse(), "its owner was not asked to replace it")
}

// externallyRemediated returns ExternallyRemediated of the machine, or nil.
func (p *sickMachine) externallyRemediated(e journal.Entry) *metav1.Condition {
	machine, ok := e.Object.(*clusterv1.Machine)
	if !ok || machine.UID != p.machine.UID {
		return nil
	}
	return meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
}

// progress returns the successive values of ExternallyRemediated.
func (p *sickMachine) progress() []string {
	var progress []string
	harness.Journal.Find(func(e journal.Entry) bool {
		if condition := p.externallyRemediated(e); condition != nil {
			progress = append(progress, string(condition.Status)+" "+condition.Reason)
		}
		return false
	})
	return slices.Compact(progress)
}

func (p *sickMachine) marked() bool {
	_, marked := harness.Journal.Find(func(e journal.Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		return ok && machine.UID == p.machine.UID && (journal.Marked(machine) || journal.Deleting(machine))
	})
	return marked
}

// TestAnnotation: first a MachineHealthCheck with the strategy, and then a person, annotates a Machine.
func TestAnnotation(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "annotation", Workers: 2}, func(check *clusterv1.MachineHealthCheck) {
		check.Annotations = map[string]string{"sickbay.dev/remediation": "reboot"}
	})
	workers := c.workers()
	p := c.watch(&workers[0])
	p.hangs()
	p.recovers()
	c.Expect(p.hosts.Cycled(c.Context(), p.host)).To(Succeed())
	c.Expect(p.marked()).To(BeFalse(), "its owner was not asked to replace it")

	// The first machine has recovered; now a person asks for a cycle of a healthy machine.
	p = c.watch(&workers[1])
	p.rebootedByPerson()
	c.Expect(p.progress()).To(BeEmpty(), "nobody has made a request by Cluster API's contract")
}
