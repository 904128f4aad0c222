package baremetal_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestTemplate: a MachineHealthCheck of Sickbay names a RebootRemediationTemplate. That is a plan like others: nothing is asked by Cluster API's
// contract, and the owner is not asked for another machine.
func TestTemplate(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "template", Workers: 2}, byTemplate(t, v1alpha1.RebootSettings{}))
	p := c.watch(&c.workers()[0])
	p.has(baremetal.Faults{OffTakes: slow})
	p.hangs()
	p.recovers()
	c.Expect(p.hosts.Cycled(c.Context(), p.host)).To(Succeed())
	record := p.ends(v1alpha1.ReasonRecovered)
	c.Expect(record.Spec.RequestedBy).To(BeNil())
	c.Expect(record.Spec.Steps).To(HaveExactElements(
		And(HaveField("Action", v1alpha1.ActionReboot), HaveField("Attempts", int32(2)), HaveField("TemplateRef.Name", "reboot")),
		HaveField("Action", v1alpha1.ActionReplace)))
	c.Expect(record).To(tried("reboot: Succeeded"))
	c.Expect(p.progress()).To(BeEmpty(), "nobody has made a request by Cluster API's contract")
	c.Expect(p.marked()).To(BeFalse(), "its owner was not asked to replace it")
}

// TestOtherHealthCheck: the health check of another controller asks for power cycles, by Cluster API's contract. It is told what becomes of that; at
// last the owner is asked for another machine.
func TestOtherHealthCheck(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "other", Workers: 2, SpareHosts: 1}, func(check *clusterv1.MachineHealthCheck) {
		check.Spec.Selector.MatchLabels = map[string]string{"nobody": ""}
	})
	machines, err := c.world.PoolMachines(c.Context(), c.spec.Key(), world.DefaultPool)
	c.Expect(err).NotTo(HaveOccurred())

	helps := c.watch(&machines[0])
	helps.has(baremetal.Faults{OffTakes: slow})
	helps.hangs()
	request := helps.askedByOther(v1alpha1.RebootSettings{})
	helps.reaches(v1alpha1.Succeeded)
	helps.judgedByOther(metav1.ConditionTrue)
	record := helps.ends(v1alpha1.ReasonRecovered)
	c.Expect(record.Spec.RequestedBy).To(HaveValue(Equal(v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: request.Name, UID: request.UID})))
	c.Expect(record.Spec.Steps).To(HaveExactElements(
		And(HaveField("Action", v1alpha1.ActionReboot), HaveField("Attempts", int32(2))), HaveField("Action", v1alpha1.ActionReplace)))
	c.Expect(record).To(tried("reboot: Succeeded"))
	c.told(request, record, metav1.ConditionTrue, v1alpha1.ReasonRecovered)
	helps.await("ExternallyRemediated=True", func(e journal.Entry) bool {
		condition := helps.externallyRemediated(e)
		return condition != nil && condition.Status == metav1.ConditionTrue
	})
	c.Expect(helps.progress()).To(ContainElement(HavePrefix("False ")), "a person sees what is waited for")
	c.Expect(c.client.Delete(c.Context(), request)).To(Succeed())
	c.Expect(helps.hosts.Cycled(c.Context(), helps.host)).To(Succeed())
	c.Expect(helps.marked()).To(BeFalse())

	inVain := c.watch(&machines[1])
	inVain.has(baremetal.Faults{FailOff: 1000, KeepForeignKeys: true})
	inVain.hangs()
	inVain.askedByOther(v1alpha1.RebootSettings{RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(3))})
	c.Eventually(c.isGone(inVain.machine.DeepCopy())).Should(BeTrue(), "its owner deletes it")
	c.Expect(inVain.ends(v1alpha1.ReasonReplaced)).To(tried("reboot: Failed", "replace: Succeeded"))
	c.Expect(inVain.marked()).To(BeTrue())
}

// askedByOther judges a machine and makes a request as Cluster API's own controller does.
func (p *sickMachine) askedByOther(settings v1alpha1.RebootSettings) *v1alpha1.RebootRemediation {
	p.Helper()
	p.judgedByOther(metav1.ConditionFalse)
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.machine.Namespace, Name: p.machine.Name, OwnerReferences: []metav1.OwnerReference{{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: p.machine.Name, UID: p.machine.UID,
		}}},
		Spec: v1alpha1.RebootRemediationSpec{RebootSettings: settings},
	}
	p.Expect(p.client.Create(p.Context(), request)).To(Succeed())
	return request
}

// judgedByOther sets the conditions of a machine as Cluster API's own controller does.
func (p *sickMachine) judgedByOther(status metav1.ConditionStatus) {
	p.Helper()
	p.Eventually(func() error {
		machine := &clusterv1.Machine{}
		if err := p.client.Get(p.Context(), client.ObjectKeyFromObject(p.machine), machine); err != nil {
			return err
		}
		meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineHealthCheckSucceededCondition, Status: status, Reason: "Told",
		})
		if status == metav1.ConditionFalse {
			meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition{
				Type: clusterv1.MachineExternallyRemediatedCondition, Status: status, Reason: clusterv1.MachineExternallyRemediatedWaitingForRemediationReason,
			})
		}
		return p.client.Status().Update(p.Context(), machine)
	}).Should(Succeed())
}

// told expects that a request is told what has become of it, and names the record.
func (c *cluster) told(request *v1alpha1.RebootRemediation, record *v1alpha1.MachineRemediation, status metav1.ConditionStatus, reason string) {
	c.Helper()
	c.Eventually(func(g Gomega) {
		g.Expect(c.client.Get(c.Context(), client.ObjectKeyFromObject(request), request)).To(Succeed())
		g.Expect(request.Status.RecordRef).To(HaveValue(Equal(v1alpha1.RemediationReference{Name: record.Name, UID: record.UID})))
		g.Expect(meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)).To(
			HaveValue(And(HaveField("Status", status), HaveField("Reason", reason))))
		g.Expect(request.Status.Phase).To(BeEmpty(), "it is no power cycle itself")
	}).Should(Succeed())
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
