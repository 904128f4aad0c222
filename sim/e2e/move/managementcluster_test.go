package move_test

import (
	"context"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// managementCluster is a management cluster with a Sickbay.
type managementCluster struct {
	*testing.T
	client     client.Client
	kubeconfig string
}

func newManagementCluster(t *testing.T, binary string) *managementCluster {
	t.Helper()
	g := NewWithT(t)
	w, err := world.Start(t.Context(), world.Options{Bare: true})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(w.Stop(context.WithoutCancel(t.Context()))).To(Succeed()) })
	c := &managementCluster{T: t, client: w.Client(), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	g.Expect(w.WriteKubeconfig(c.kubeconfig)).To(Succeed())
	capi, err := world.ClusterAPICRDs()
	g.Expect(err).NotTo(HaveOccurred())
	own, err := world.SickbayCRDs()
	g.Expect(err).NotTo(HaveOccurred())
	for _, crd := range append(capi, own...) {
		// clusterctl init sets this label.
		metav1.SetMetaDataLabel(&crd.ObjectMeta, "clusterctl.cluster.x-k8s.io", "")
	}
	providers, err := world.ModuleFile("sigs.k8s.io/cluster-api", "cmd/clusterctl/config/crd/bases/clusterctl.cluster.x-k8s.io_providers.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = envtest.InstallCRDs(w.Config(), envtest.CRDInstallOptions{
		Scheme: scheme.Scheme, CRDs: append(capi, own...), Paths: []string{providers, "../testdata/fix.yaml"}, MaxTime: e2e.Patience,
	})
	g.Expect(err).NotTo(HaveOccurred())
	c.label("fixremediations.remediation.example.dev", "clusterctl.cluster.x-k8s.io")
	c.label("fixremediationtemplates.remediation.example.dev", "clusterctl.cluster.x-k8s.io", "clusterctl.cluster.x-k8s.io/move")
	e2e.StartSickbay(t, binary, c.kubeconfig)
	return c
}

// label makes clusterctl know a kind.
func (c *managementCluster) label(name string, labels ...string) {
	c.Helper()
	g := NewWithT(c.T)
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	g.Expect(c.client.Get(c.Context(), client.ObjectKey{Name: name}, crd)).To(Succeed())
	before := crd.DeepCopy()
	all := map[string]string{}
	for _, label := range labels {
		all[label] = ""
	}
	crd.SetLabels(all)
	g.Expect(c.client.Patch(c.Context(), crd, client.MergeFrom(before))).To(Succeed())
}

// machine returns a Machine; nil if there is none.
func (c *managementCluster) machine(g Gomega, name string) *clusterv1.Machine {
	m := &clusterv1.Machine{}
	err := c.client.Get(c.Context(), client.ObjectKey{Namespace: ns, Name: name}, m)
	g.Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return m
}

// runs writes what Cluster API's controllers would write about a running cluster and its
// machines.
func (c *managementCluster) runs() {
	c.Helper()
	g := NewWithT(c.T)
	cluster := &clusterv1.Cluster{}
	g.Expect(c.client.Get(c.Context(), client.ObjectKey{Namespace: ns, Name: name}, cluster)).To(Succeed())
	cluster.Status.Initialization = clusterv1.ClusterInitializationStatus{InfrastructureProvisioned: new(true), ControlPlaneInitialized: new(true)}
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{Type: clusterv1.ClusterControlPlaneInitializedCondition, Status: metav1.ConditionTrue, Reason: "Initialized"})
	g.Expect(c.client.Status().Update(c.Context(), cluster)).To(Succeed())
	for _, which := range []string{marked, requested, planned} {
		g.Eventually(func() error {
			m := c.machine(g, which)
			m.Status.NodeRef = clusterv1.MachineNodeReference{Name: which}
			m.Status.Initialization = clusterv1.MachineInitializationStatus{InfrastructureProvisioned: new(true)}
			return c.client.Status().Update(c.Context(), m)
		}, e2e.Patience).Should(Succeed())
	}
}

// request returns Sickbay's request to others; it has no UID if there is none.
func (c *managementCluster) request(g Gomega) *unstructured.Unstructured {
	all := &unstructured.UnstructuredList{}
	all.SetAPIVersion("remediation.example.dev/v1")
	all.SetKind("FixRemediationList")
	g.Expect(c.client.List(c.Context(), all)).To(Succeed())
	g.Expect(len(all.Items)).To(BeNumerically("<=", 1))
	if len(all.Items) == 0 {
		return &unstructured.Unstructured{}
	}
	return &all.Items[0]
}

// all returns all MachineRemediations.
func (c *managementCluster) all(g Gomega) []v1alpha1.MachineRemediation {
	var all v1alpha1.MachineRemediationList
	g.Expect(c.client.List(c.Context(), &all)).To(Succeed())
	return all.Items
}

// records returns the MachineRemediations of the machines that exist, by their names. Those that were moved are of machines with other UIDs, and are over.
func (c *managementCluster) records(g Gomega) map[string]*v1alpha1.MachineRemediation {
	records := map[string]*v1alpha1.MachineRemediation{}
	all := c.all(g)
	for i := range all {
		of := all[i].Spec.MachineRef
		if m := c.machine(g, of.Name); m == nil || m.UID != of.UID {
			g.Expect(all[i].Status.Phase).To(Equal(v1alpha1.RemediationEnded), "%s: %+v", all[i].Name, all[i].Status)
			continue
		}
		g.Expect(records).NotTo(HaveKey(of.Name), "one for each machine")
		records[of.Name] = &all[i]
	}
	return records
}

// inTheMiddle waits until each repair has begun.
func (c *managementCluster) inTheMiddle() {
	c.Helper()
	g := NewWithT(c.T)
	g.Eventually(func(g Gomega) {
		records := c.records(g)
		g.Expect(records).To(HaveLen(3))
		for machine, step := range map[string]string{marked: "replace", requested: "request", planned: "look"} {
			g.Expect(records[machine].Status.Step).To(Equal(step))
			g.Expect(records[machine].Status.Phase).To(Equal(v1alpha1.RemediationActing), "%s: %+v", machine, records[machine].Status)
		}
		g.Expect(journal.Marked(c.machine(g, marked))).To(BeTrue())
		g.Expect(c.request(g).GetUID()).NotTo(BeEmpty())
	}, e2e.Patience).Should(Succeed())
}

// collectGarbage deletes objects whose owners do not exist, as Kubernetes does.
func (c *managementCluster) collectGarbage(g Gomega) {
	for _, record := range c.all(g) {
		for _, owner := range record.OwnerReferences {
			cluster := &clusterv1.Cluster{}
			err := c.client.Get(c.Context(), client.ObjectKey{Namespace: ns, Name: owner.Name}, cluster)
			g.Expect(client.IgnoreNotFound(err)).To(Succeed())
			if (err != nil || cluster.UID != owner.UID) && record.DeletionTimestamp.IsZero() {
				g.Expect(client.IgnoreNotFound(c.client.Delete(c.Context(), &record))).To(Succeed())
			}
		}
	}
}

func namespace() *corev1.Namespace { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}} }
