package move_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

const (
	ns, name = "blue", "blue"
	// Machines, each with a MachineHealthCheck of that name. The repair asks the owner, asks others, or follows a plan.
	marked, requested, planned = "marked", "requested", "planned"
)

// TestMove: clusterctl moves the cluster while a repair of each kind is in progress. Plans and requests move, too. Nothing stays in the source, and
// in the target each repair begins anew, without a second request.
func TestMove(t *testing.T) {
	g := NewWithT(t)
	binary, err := sickbay.Build(t.Context(), t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	from, to := newManagementCluster(t, binary), newManagementCluster(t, binary)
	from.fill()
	from.inTheMiddle()

	said := ctl(t, "move", "--kubeconfig="+from.kubeconfig, "--to-kubeconfig="+to.kubeconfig, "--namespace="+ns, "-v=5")

	moved := to.request(g).GetUID()
	g.Expect(moved).NotTo(BeEmpty(), "the request comes along:\n%s", said)
	g.Expect(to.client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: planned}, &v1alpha1.MachineRemediationTemplate{})).To(Succeed(), "so does the plan")
	to.runs()
	to.inTheMiddle()
	g.Expect(to.request(g).GetUID()).To(Equal(moved), "the request is the one that was moved")
	for _, record := range to.records(g) {
		g.Expect(record.Status.Attempt).To(BeEquivalentTo(1))
	}
	from.isEmpty()

	to.nobodyHangs()
}

// fill creates a cluster with sick machines.
func (c *managementCluster) fill() {
	c.Helper()
	g := NewWithT(c.T)
	create := func(objects ...client.Object) {
		for _, object := range objects {
			g.Expect(c.client.Create(c.Context(), object)).To(Succeed())
		}
	}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: clusterv1.ClusterSpec{
		ControlPlaneEndpoint: clusterv1.APIEndpoint{Host: "127.0.0.1", Port: 6443},
	}}
	create(namespace(), cluster)
	ofCluster := metav1.OwnerReference{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: name, UID: cluster.UID}
	set := &clusterv1.MachineSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "set", OwnerReferences: []metav1.OwnerReference{ofCluster}, Labels: map[string]string{clusterv1.ClusterNameLabel: name}},
		Spec: clusterv1.MachineSetSpec{ClusterName: name, Replicas: new(int32(1)), Selector: metav1.LabelSelector{MatchLabels: map[string]string{"name": marked}},
			Template: clusterv1.MachineTemplateSpec{ObjectMeta: clusterv1.ObjectMeta{Labels: map[string]string{"name": marked}}, Spec: machineSpec()}},
	}
	create(set, fixTemplate(), plan())
	bySet := *metav1.NewControllerRef(set, clusterv1.GroupVersion.WithKind("MachineSet"))
	for which, owner := range map[string]metav1.OwnerReference{marked: bySet, requested: ofCluster, planned: ofCluster} {
		create(&clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: which, OwnerReferences: []metav1.OwnerReference{owner},
			Labels:      map[string]string{clusterv1.ClusterNameLabel: name, "name": which},
			Annotations: map[string]string{clusterv1.RemediateMachineAnnotation: ""},
		}, Spec: machineSpec()})
	}
	c.runs()
	for _, which := range []string{marked, requested, planned} {
		create(check(which))
	}
}

func machineSpec() clusterv1.MachineSpec {
	return clusterv1.MachineSpec{
		ClusterName: name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "none"},
	}
}

func check(which string) *clusterv1.MachineHealthCheck {
	c := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: which, Labels: map[string]string{clusterv1.ClusterNameLabel: name}},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: name, Selector: metav1.LabelSelector{MatchLabels: map[string]string{"name": which}},
			Checks: clusterv1.MachineHealthCheckChecks{NodeStartupTimeoutSeconds: new(int32(600))},
		},
	}
	switch which {
	case requested:
		c.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: "remediation.example.dev/v1", Kind: "FixRemediationTemplate", Name: which}
	case planned:
		c.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: which}
	}
	return c
}

func fixTemplate() client.Object {
	template := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}}
	template.SetAPIVersion("remediation.example.dev/v1")
	template.SetKind("FixRemediationTemplate")
	template.SetNamespace(ns)
	template.SetName(requested)
	return template
}

// plan returns a plan that waits for a day.
func plan() client.Object {
	p := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: planned}}
	p.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{{Name: "look", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(86400))}}
	return p
}

// isEmpty: clusterctl has deleted what it moved, and what it leaves is removed, too.
func (c *managementCluster) isEmpty() {
	c.Helper()
	g := NewWithT(c.T)
	g.Eventually(func(g Gomega) {
		c.collectGarbage(g)
		g.Expect(c.all(g)).To(BeEmpty())
		g.Expect(c.request(g).GetUID()).To(BeEmpty())
		for _, list := range []client.ObjectList{&clusterv1.ClusterList{}, &clusterv1.MachineList{}, &clusterv1.MachineHealthCheckList{}, &v1alpha1.MachineRemediationTemplateList{}} {
			g.Expect(c.client.List(c.Context(), list)).To(Succeed())
			g.Expect(meta.LenList(list)).To(BeZero(), "%T", list)
		}
	}, e2e.Patience).Should(Succeed())
}

// nobodyHangs: the finalizers of records go with their machines.
func (c *managementCluster) nobodyHangs() {
	c.Helper()
	g := NewWithT(c.T)
	g.Expect(c.client.DeleteAllOf(c.Context(), &clusterv1.Machine{}, client.InNamespace(ns))).To(Succeed())
	g.Eventually(func(g Gomega) {
		for _, record := range c.all(g) {
			g.Expect(record.Finalizers).To(BeEmpty(), "%s: %+v", record.Name, record.Status.Conditions)
		}
	}, e2e.Patience).Should(Succeed())
}
