package v1alpha1_test

import (
	"maps"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// Cluster API's helpers work with the kinds.
var _, _ conditions.Setter = &v1alpha1.MachineRemediation{}, &v1alpha1.MachineRemediationTemplate{}

// definition returns one of the definitions of Sickbay's kinds.
func definition(t *testing.T, resource string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile("../../config/crd/sickbay.dev_" + resource + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// recordOf returns a MachineRemediation with a spec, without storing it.
func recordOf(t *testing.T, ns, name, spec string) *v1alpha1.MachineRemediation {
	t.Helper()
	object := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	if err := yaml.UnmarshalStrict([]byte(spec), &object.Spec); err != nil {
		t.Fatal(err)
	}
	return object
}

// get reads an object again.
func get(t *testing.T, e *env.Env, object client.Object) {
	t.Helper()
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
}

// TestLabelsOfDefinitions: Cluster API finds versions by the first label. Because of the other two, clusterctl move also
// moves plans and the templates that their steps name, which no Cluster owns. It does not move records, because their UIDs
// would be wrong elsewhere.
func TestLabelsOfDefinitions(t *testing.T) {
	contract := map[string]string{"cluster.x-k8s.io/v1beta2": "v1alpha1"}
	moved := maps.Clone(contract)
	moved["clusterctl.cluster.x-k8s.io"], moved["clusterctl.cluster.x-k8s.io/move"] = "", ""
	for resource, want := range map[string]map[string]string{
		"machineremediations": contract, "machineremediationtemplates": moved, "rebootremediationtemplates": moved,
	} {
		if diff := cmp.Diff(want, definition(t, resource).Labels); diff != "" {
			t.Errorf("%s (-want +got):\n%s", resource, diff)
		}
	}
}

// TestContractOfRemediations: Cluster API finds a plan by the reference in a MachineHealthCheck or a ClusterClass.
func TestContractOfRemediations(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	given := unstructuredOf("MachineRemediationTemplate", ns, "plan")
	given.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, plan)}}
	build.Create(t.Context(), t, e.Client, given, recordOf(t, ns, "record", record))
	for kind, name := range map[string]string{"MachineRemediationTemplate": "plan", "MachineRemediation": "record"} {
		got, err := external.GetObjectFromContractVersionedRef(t.Context(), e.Client,
			clusterv1.ContractVersionedObjectReference{APIGroup: v1alpha1.GroupVersion.Group, Kind: kind, Name: name}, ns)
		if err != nil {
			t.Fatal(err)
		}
		if got.GroupVersionKind() != v1alpha1.GroupVersion.WithKind(kind) {
			t.Errorf("got %s", got.GroupVersionKind())
		}
	}
}

// TestWhatOthersCloneFromPlans: the API server refuses it. Cluster API's own controller would create a request with the
// machine's name and the plan as its spec, and does not know Sickbay's decisions.
func TestWhatOthersCloneFromPlans(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	template := unstructuredOf("MachineRemediationTemplate", ns, "plan")
	template.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, with(t, plan, "maxInFlight: 2"))}}
	machine := build.Machine(ns, "m")
	build.Create(t.Context(), t, e.Client, template, machine)
	ref := build.MachineHealthCheck(ns, "mhc", build.TemplateRef(template.GroupVersionKind(), "plan")).Spec.Remediation.TemplateRef
	clone, err := external.GenerateTemplate(&external.GenerateTemplateInput{
		Template: template, TemplateRef: ref.ToObjectReference(ns), Namespace: ns, ClusterName: machine.Spec.ClusterName,
		OwnerRef: metav1.NewControllerRef(machine, clusterv1.GroupVersion.WithKind("Machine")),
	})
	if err != nil {
		t.Fatal(err)
	}
	clone.SetName(machine.Name)
	want := []string{"spec.machineRef: Required value"}
	if diff := cmp.Diff(want, causes(e.Client.Create(t.Context(), clone))); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

func TestConditionsOfRemediations(t *testing.T) {
	for _, object := range []conditions.Setter{&v1alpha1.MachineRemediation{}, &v1alpha1.MachineRemediationTemplate{}} {
		conditions.Set(object, metav1.Condition{Type: "T", Status: metav1.ConditionTrue, Reason: "R"})
		if got, ok := object.(conditions.Getter); !ok || !conditions.IsTrue(got, "T") {
			t.Errorf("%T: the condition is not there", object)
		}
	}
}
