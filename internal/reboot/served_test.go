package reboot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestInfrastructureInTheVersionThatIsServed: an infrastructure machine is read in the version that discovery prefers, whichever the provider
// serves: its Machine names none.
func TestInfrastructureInTheVersionThatIsServed(t *testing.T) {
	t.Parallel()
	e := env.Get(t)
	ns := e.Namespace(t)
	for kind, served := range map[string][]string{"OldMachine": {"v1beta1"}, "NewMachine": {"v1beta2"}, "BothMachine": {"v1beta1", "v1beta2"}} {
		gvk := schema.GroupVersionKind{Group: infrastructureKind.Group, Version: served[0], Kind: kind}
		crd := env.AnythingGoes(gvk)
		for _, version := range served[1:] {
			another := crd.Spec.Versions[0]
			another.Name, another.Storage = version, false
			crd.Spec.Versions = append(crd.Spec.Versions, another)
		}
		e.Install(t, env.WithCRDs(crd))
		infra := build.RemediationTemplate(gvk, ns, "m", nil)
		build.Create(t.Context(), t, e.Client, infra)
		m := build.Machine(ns, "m")
		m.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: gvk.Group, Kind: kind, Name: "m"}
		c, err := client.New(e.Config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, missing, err := reader{live: c, mapper: c.RESTMapper()}.infrastructure(t.Context(), machineOf(m))
		if err != nil || missing != "" {
			t.Errorf("%s: %q, error %v", kind, missing, err)
			continue
		}
		want := metav1.TypeMeta{APIVersion: gvk.Group + "/" + served[len(served)-1], Kind: kind}
		if diff := cmp.Diff(want, got.TypeMeta); diff != "" || got.GetUID() != infra.GetUID() {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// TestVersionServedNoMore: an infrastructure machine is found although its provider serves another version since, and no longer the one in which it was
// read before. Another provider, of the same group, still serves that one.
func TestVersionServedNoMore(t *testing.T) {
	t.Parallel()
	g, e := NewWithT(t), env.Get(t)
	old := schema.GroupVersionKind{Group: "served.sickbay.dev", Version: "v1beta1", Kind: "MovedMachine"}
	crd, neighbour := env.AnythingGoes(old), env.AnythingGoes(old.GroupVersion().WithKind("OtherMachine"))
	e.Install(t, env.WithCRDs(crd, neighbour))
	c, err := client.New(e.Config, client.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	infra := build.RemediationTemplate(old, e.Namespace(t), "m", nil)
	build.Create(t.Context(), t, e.Client, infra)
	version := func(kind, name string) string {
		m := build.Machine(infra.GetNamespace(), "m")
		m.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: old.Group, Kind: kind, Name: name}
		found, missing, err := reader{live: c, mapper: c.RESTMapper()}.infrastructure(t.Context(), machineOf(m))
		g.Expect(err).NotTo(HaveOccurred())
		if found == nil {
			return missing
		}
		return found.GroupVersionKind().Version
	}
	g.Expect(version("MovedMachine", "m")).To(Equal("v1beta1"))

	newer := *crd.Spec.Versions[0].DeepCopy()
	newer.Name = "v1beta2"
	crd.Spec.Versions[0].Served, crd.Spec.Versions[0].Storage = false, false
	crd.Spec.Versions = append(crd.Spec.Versions, newer)
	e.Install(t, env.WithCRDs(crd))
	g.Eventually(version).WithArguments("MovedMachine", "m").WithTimeout(30 * time.Second).Should(Equal("v1beta2"))
	g.Expect(version("MovedMachine", "gone")).To(Equal("MovedMachine gone does not exist"))
	g.Expect(version("NoMachine", "m")).To(Equal("The kind NoMachine of served.sickbay.dev is not installed"))
}
