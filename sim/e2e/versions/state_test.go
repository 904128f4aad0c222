package versions_test

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// inTheMiddle waits until every repair has begun and none can end, and returns the UIDs of the objects that were created
// for them.
func (i *installation) inTheMiddle() map[string]types.UID {
	i.Helper()
	made := map[string]types.UID{}
	i.Eventually(func(g Gomega) {
		g.Expect(journal.Marked(i.now(g, marked))).To(BeTrue())
		g.Expect(journal.Deleting(i.now(g, leaving))).To(BeTrue())
		g.Expect(journal.Deleting(i.now(g, unowned))).To(BeTrue())
		made[requested] = i.request(g).GetUID()
		g.Expect(made[requested]).NotTo(BeEmpty())
		for name, uid := range map[string]types.UID{annotated: i.machines[annotated].UID, templated: i.machines[templated].UID, "openshift": i.theirs.UID} {
			cycles := i.cycles(g, uid)
			g.Expect(cycles).To(HaveLen(1), name)
			g.Expect(cycles[0].Status.Phase).To(Equal(v1alpha1.PoweringOff), name)
			made[name] = cycles[0].UID
		}
	}).Should(Succeed())
	return made
}

// now returns the current state of a machine.
func (i *installation) now(g Gomega, name string) *clusterv1.Machine {
	machine := &clusterv1.Machine{}
	g.Expect(i.client.Get(i.Context(), client.ObjectKeyFromObject(i.machines[name]), machine)).To(Succeed())
	return machine
}

// request returns the object created from another party's template; it has no UID if there is none.
func (i *installation) request(g Gomega) *unstructured.Unstructured {
	request := &unstructured.Unstructured{}
	request.SetAPIVersion("remediation.example.dev/v1")
	request.SetKind("FixRemediation")
	err := i.client.Get(i.Context(), client.ObjectKeyFromObject(i.machines[requested]), request)
	g.Expect(client.IgnoreNotFound(err)).To(Succeed())
	return request
}

// cycles returns the power cycles of a machine, ended or not.
func (i *installation) cycles(g Gomega, machine types.UID) []v1alpha1.RebootRemediation {
	var all v1alpha1.RebootRemediationList
	g.Expect(i.client.List(i.Context(), &all, client.InNamespace(i.ns))).To(Succeed())
	var its []v1alpha1.RebootRemediation
	for _, one := range all.Items {
		if one.Status.MachineUID == machine {
			its = append(its, one)
		}
	}
	return its
}

// recovered: owners have done what they were asked, once; cycled hosts are on; and all machines are healthy.
func (i *installation) recovered() {
	i.Helper()
	i.Eventually(func(g Gomega) {
		for _, name := range []string{marked, leaving} {
			machines, err := harness.World.PoolMachines(i.Context(), i.pool.Key(), name)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(machines).To(HaveLen(1), name)
			g.Expect(machines[0].UID).NotTo(Equal(i.machines[name].UID), name)
		}
		for _, name := range []string{marked, leaving, requested, annotated, templated} {
			g.Expect(i.healthy(g, name)).To(BeTrue(), name)
		}
		err := i.client.Get(i.Context(), client.ObjectKeyFromObject(i.machines[unowned]), &clusterv1.Machine{})
		g.Expect(client.IgnoreNotFound(err)).To(Succeed())
		g.Expect(err).To(HaveOccurred(), "nobody replaces what nobody owns")
		for _, uid := range []types.UID{i.machines[annotated].UID, i.machines[templated].UID, i.theirs.UID} {
			for _, cycle := range i.cycles(g, uid) {
				g.Expect(cycle.Status.Phase.Ended()).To(BeTrue(), "%s: %s", cycle.Name, cycle.Status.Phase)
			}
		}
	}).Should(Succeed())
	for _, name := range []string{marked, leaving} {
		i.Expect(i.everIn(name)).To(Equal(2), "%s: one machine more than before", name)
	}
}

// healthy reports whether the only machine of a pool is healthy.
func (i *installation) healthy(g Gomega, pool string) bool {
	spec := i.pool
	if pool == annotated || pool == templated {
		spec = i.metal
	}
	machines, err := harness.World.PoolMachines(i.Context(), spec.Key(), pool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(machines).To(HaveLen(1), pool)
	verdict := journal.Verdict(&machines[0])
	return verdict != nil && verdict.Status == metav1.ConditionTrue
}

// everIn counts the machines that a pool ever had.
func (i *installation) everIn(pool string) int {
	seen := map[types.UID]bool{}
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if ok && m.Namespace == i.ns && m.Labels[clusterv1.MachineDeploymentNameLabel] == world.MachineDeploymentName(i.pool.Name, pool) {
			seen[m.UID] = true
		}
		return false
	})
	return len(seen)
}

// nothingLeft: no mark, no request, no annotation, no key on a host, no taint, no open MachineRemediation, no finalizer.
func (i *installation) nothingLeft() {
	i.Helper()
	i.Eventually(func(g Gomega) {
		i.closed(g)
		g.Expect(i.request(g).GetUID()).To(BeEmpty(), "the request is withdrawn")
		var machines clusterv1.MachineList
		g.Expect(i.client.List(i.Context(), &machines, client.InNamespace(i.ns))).To(Succeed())
		for _, m := range machines.Items {
			g.Expect(journal.Marked(&m)).To(BeFalse(), m.Name)
			g.Expect(m.Annotations).NotTo(HaveKey("reboot.metal3.io"), m.Name)
		}
		g.Expect(i.client.Get(i.Context(), client.ObjectKeyFromObject(i.theirs), i.theirs)).To(Succeed())
		g.Expect(i.theirs.Annotations).To(HaveLen(1), "what a person has asked for is done")
		var hosts metal3v1.BareMetalHostList
		g.Expect(i.client.List(i.Context(), &hosts, client.InNamespace(i.ns))).To(Succeed())
		for _, host := range hosts.Items {
			g.Expect(host.Annotations).NotTo(HaveKey(HavePrefix("reboot.metal3.io")), host.Name)
		}
		for _, name := range []string{i.host(annotated).Name, i.host(templated).Name, i.theirs.Name} {
			node := &corev1.Node{}
			g.Expect(i.client.Get(i.Context(), client.ObjectKey{Name: name}, node)).To(Succeed())
			g.Expect(node.Spec.Taints).NotTo(ContainElement(HaveField("Key", "node.kubernetes.io/out-of-service")))
		}
	}).Should(Succeed())
}

// closed: every MachineRemediation has ended and can be deleted, and no RebootRemediation is in progress.
func (i *installation) closed(g Gomega) {
	var records v1alpha1.MachineRemediationList
	g.Expect(i.client.List(i.Context(), &records, client.InNamespace(i.ns))).To(Succeed())
	for _, record := range records.Items {
		g.Expect(record.Finalizers).To(BeEmpty(), "%s: %s %+v", record.Name, record.Status.Phase, record.Status.Conditions)
		g.Expect(record.Labels).NotTo(HaveKey(v1alpha1.OpenLabel))
	}
	var cycles v1alpha1.RebootRemediationList
	g.Expect(i.client.List(i.Context(), &cycles, client.InNamespace(i.ns))).To(Succeed())
	for _, cycle := range cycles.Items {
		g.Expect(cycle.Finalizers).To(BeEmpty(), "%s: %s", cycle.Name, cycle.Status.Phase)
	}
}
