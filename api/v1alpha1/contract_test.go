package v1alpha1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/cluster-api/util/conditions"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// Cluster API's helpers work with the kind.
var _ conditions.Setter = &v1alpha1.RebootRemediation{}

// TestContract: Cluster API finds the versions of the kinds by the label on their definitions.
func TestContract(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for _, kind := range []string{"RebootRemediation", "RebootRemediationTemplate"} {
		t.Run(kind, func(t *testing.T) {
			build.Create(t.Context(), t, e.Client, unstructuredOf(kind, ns, "m"))
			got, err := external.GetObjectFromContractVersionedRef(t.Context(), e.Client,
				clusterv1.ContractVersionedObjectReference{APIGroup: v1alpha1.GroupVersion.Group, Kind: kind, Name: "m"}, ns)
			if err != nil {
				t.Fatal(err)
			}
			if got.GroupVersionKind() != v1alpha1.GroupVersion.WithKind(kind) {
				t.Errorf("got %s", got.GroupVersionKind())
			}
		})
	}
}

// TestRequestFromTemplate: a MachineHealthCheck with a template in templateRef creates a valid request.
func TestRequestFromTemplate(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "cycle"}}
	template.Spec.Template.Spec.RetryLimit = new(int32(3))
	machine := build.Machine(ns, "m")
	build.Create(t.Context(), t, e.Client, template, machine)
	asked := remedy.Request{
		Record: recordOf(t, ns, "record", record),
		Step: v1alpha1.RemediationStep{Name: "request", Action: v1alpha1.ActionRequest, TemplateRef: &v1alpha1.StepTemplateReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate", Name: "cycle",
		}},
	}
	asked.Record.Spec.ClusterName = machine.Spec.ClusterName
	asked.Record.Spec.MachineRef.Name, asked.Record.Spec.MachineRef.UID = machine.Name, machine.UID
	if _, err := remedy.MakeRequest(t.Context(), e.Client, e.Client, asked); err != nil {
		t.Fatal(err)
	}
	want := byDefault()
	want.RetryLimit = new(int32(3))
	got := stored(t, e.Client, remediation(ns, "m", v1alpha1.RebootSettings{}))
	if diff := cmp.Diff(v1alpha1.RebootRemediationSpec{RebootSettings: want}, got.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if len(got.OwnerReferences) != 1 || got.OwnerReferences[0].UID != machine.UID {
		t.Errorf("owned by %v, want the Machine alone", got.OwnerReferences)
	}
}

func TestConditions(t *testing.T) {
	object := remediation("ns", "m", v1alpha1.RebootSettings{})
	conditions.Set(object, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: "Succeeded"})
	if !conditions.IsTrue(object, v1alpha1.ConditionSucceeded) {
		t.Errorf("conditions are %v", object.GetConditions())
	}
}
