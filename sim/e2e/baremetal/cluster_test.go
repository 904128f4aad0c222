package baremetal_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/scenario"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// cluster is a bare-metal cluster with a MachineHealthCheck for all its machines and a Sickbay.
type cluster struct {
	*testing.T
	*WithT
	world  *world.World
	client client.Client
	spec   world.ClusterSpec
	sick   *e2e.Sickbay
}

// newCluster creates a cluster. The spec needs a name and sizes; prepare may change the MachineHealthCheck.
func newCluster(t *testing.T, spec world.ClusterSpec, prepare func(*clusterv1.MachineHealthCheck)) *cluster {
	t.Helper()
	t.Parallel()
	spec.Namespace, spec.BareMetal = spec.Name, true
	c := &cluster{T: t, WithT: NewWithT(t), world: harness.World, client: harness.World.Client(), spec: spec}
	c.SetDefaultEventuallyTimeout(e2e.Patience)
	c.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	harness.Cluster(t, spec)
	check := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: spec.Namespace, Name: spec.Name},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: spec.Name,
			Selector:    metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.ClusterNameLabel: spec.Name}},
			Checks: clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(1))},
			}},
		},
	}
	prepare(check)
	c.Expect(c.client.Create(t.Context(), check)).To(Succeed())
	c.startSickbay()
	return c
}

func (c *cluster) startSickbay() {
	c.Helper()
	c.sick = harness.Sickbay(c.T, c.spec.Namespace)
}

// byTemplate makes a MachineHealthCheck name a RebootRemediationTemplate with some settings.
func byTemplate(t *testing.T, settings v1alpha1.RebootSettings) func(*clusterv1.MachineHealthCheck) {
	t.Helper()
	return func(check *clusterv1.MachineHealthCheck) {
		template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: check.Namespace, Name: "reboot"}}
		template.Spec.Template.Spec = settings
		NewWithT(t).Expect(harness.World.Client().Create(t.Context(), template)).To(Succeed())
		check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate", Name: template.Name,
		}
	}
}

// workers returns the machines outside the control plane once all of them are healthy.
func (c *cluster) workers() []clusterv1.Machine {
	c.Helper()
	machines, err := c.world.PoolMachines(c.Context(), c.spec.Key(), world.DefaultPool)
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(machines).To(HaveLen(c.spec.Workers))
	for i := range machines {
		c.Eventually(c.verdict(&machines[i])).Should(Equal(metav1.ConditionTrue))
	}
	return machines
}

func (c *cluster) verdict(machine *clusterv1.Machine) func() (metav1.ConditionStatus, error) {
	return func() (metav1.ConditionStatus, error) {
		now := &clusterv1.Machine{}
		err := c.client.Get(c.Context(), client.ObjectKeyFromObject(machine), now)
		if verdict := journal.Verdict(now); err == nil && verdict != nil {
			return verdict.Status, nil
		}
		return metav1.ConditionUnknown, err
	}
}

// sickMachine is a machine on a host, as it was before anything happened to it.
type sickMachine struct {
	*cluster
	machine *clusterv1.Machine
	host    client.ObjectKey
	node    *corev1.Node
	hosts   *scenario.Hosts
}

// watch records a machine and its host.
func (c *cluster) watch(machine *clusterv1.Machine) *sickMachine {
	c.Helper()
	p := &sickMachine{cluster: c, machine: machine, host: client.ObjectKey{Namespace: machine.Namespace, Name: machine.Status.NodeRef.Name}}
	var err error
	p.node, err = scenario.Dress(c.Context(), c.client, p.host.Name)
	c.Expect(err).NotTo(HaveOccurred())
	p.hosts, err = scenario.RememberHosts(c.Context(), c.world, harness.Journal, c.spec.Key())
	c.Expect(err).NotTo(HaveOccurred())
	return p
}

func (p *sickMachine) hangs() {
	p.Helper()
	p.Expect(fault.HangHost{Host: p.host}.Inject(p.Context(), p.world)).To(Succeed())
}

func (p *sickMachine) has(faults baremetal.Faults) { p.world.Host(p.host).Set(faults) }

// await returns a matching entry that the journal has seen or will see.
func (c *cluster) await(what string, matches func(journal.Entry) bool) journal.Entry {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), e2e.Patience)
	defer cancel()
	entry, err := harness.Journal.Await(ctx, what, matches)
	c.Expect(err).NotTo(HaveOccurred())
	return entry
}

// reaches waits for a phase of the RebootRemediation.
func (p *sickMachine) reaches(phase v1alpha1.Phase) journal.Entry {
	p.Helper()
	return p.await("phase "+string(phase), func(e journal.Entry) bool {
		return journal.IsRequest(e, p.machine) && e.Object.(*v1alpha1.RebootRemediation).Status.Phase == phase
	})
}

// recovers expects that the machine is healthy again, and that nothing asks for anything any more.
func (p *sickMachine) recovers() {
	p.Helper()
	p.reaches(v1alpha1.Succeeded)
	p.Eventually(p.verdict(p.machine)).Should(Equal(metav1.ConditionTrue))
	p.Eventually(func(g Gomega) {
		now := &clusterv1.Machine{}
		g.Expect(p.client.Get(p.Context(), client.ObjectKeyFromObject(p.machine), now)).To(Succeed())
		g.Expect(now.UID).To(Equal(p.machine.UID))
		g.Expect(now.Annotations).NotTo(HaveKey(rebootannotation.Request))
	}).Should(Succeed())
	p.Eventually(p.cycles).Should(BeEmpty(), "nobody cycles its host")
	p.Expect(scenario.Restored(p.Context(), p.client, p.node)).To(Succeed())
}

// cycles returns the names of the RebootRemediations of records that have not ended.
func (p *sickMachine) cycles() ([]string, error) {
	var list v1alpha1.RebootRemediationList
	err := p.client.List(p.Context(), &list, client.InNamespace(p.machine.Namespace))
	var names []string
	for i := range list.Items {
		if one := &list.Items[i]; one.Spec.RequestedBy.ForRecord() && one.Spec.Machine.Name == p.machine.Name && !one.Status.Phase.Ended() {
			names = append(names, one.Name)
		}
	}
	return names, err
}

// ends waits until a record of the machine ends for a reason, and returns it. It must be the only one.
func (p *sickMachine) ends(reason string) *v1alpha1.MachineRemediation {
	p.Helper()
	record := p.await("the end of the record, "+reason, func(e journal.Entry) bool {
		r, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && r.Spec.MachineRef.UID == p.machine.UID && journal.EndedAs(reason)(r)
	}).Object.(*v1alpha1.MachineRemediation)
	p.Expect(harness.Journal.Records(p.machine.UID)).To(HaveLen(1))
	return record
}

// tried matches a record that has tried these steps, with their results.
func tried(attempts ...string) types.GomegaMatcher {
	return WithTransform(func(record *v1alpha1.MachineRemediation) []string {
		var all []string
		for _, attempt := range record.Status.Attempts {
			if attempt.Result != v1alpha1.ResultAborted && attempt.Result != v1alpha1.ResultNotBegun {
				all = append(all, attempt.Step+": "+string(attempt.Result))
			}
		}
		return all
	}, Equal(attempts))
}

// rebootedByPerson annotates the machine as a person would, and expects that its host is cycled. Meanwhile, the annotation names the attempt.
func (p *sickMachine) rebootedByPerson() {
	p.Helper()
	patch := []byte(`{"metadata":{"annotations":{"` + rebootannotation.Request + `":""}}}`)
	p.Expect(p.client.Patch(p.Context(), p.machine.DeepCopy(), client.RawPatch(apitypes.MergePatchType, patch))).To(Succeed())
	p.recovers()
	p.Expect(p.hosts.Cycled(p.Context(), p.host)).To(Succeed())
	record := p.ends(v1alpha1.ReasonDone)
	p.Expect(record.Spec.RequestedBy).To(HaveValue(Equal(v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: rebootannotation.Request})))
	p.Expect(record).To(tried("reboot: Succeeded"))
	p.await("the sign of the attempt", func(e journal.Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		return ok && machine.UID == p.machine.UID && machine.Annotations[rebootannotation.Request] == record.Status.Attempts[0].OperationID
	})
}

// isGone reports whether an object no longer exists.
func (c *cluster) isGone(object client.Object) func() bool {
	return func() bool {
		return apierrors.IsNotFound(c.client.Get(c.Context(), client.ObjectKeyFromObject(object), object))
	}
}
