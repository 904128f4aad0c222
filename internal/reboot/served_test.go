package reboot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
