package v1alpha1_test

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestAppliedPlanIsThePlan: after a server-side apply, as by Flux or Argo CD, a plan has the steps that are in git, whatever somebody has edited
// in meanwhile.
func TestAppliedPlanIsThePlan(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	apply := func() {
		t.Helper()
		u := unstructuredOf("MachineRemediationTemplate", ns, "plan")
		u.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{"steps": []any{
			map[string]any{"name": "wait", "action": "Wait", "timeoutSeconds": int64(60)}, map[string]any{"name": "ask", "action": "Hold"},
		}}}}
		if err := e.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kustomize-controller"), client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
	}
	stored := &v1alpha1.MachineRemediationTemplate{}
	get := func() {
		t.Helper()
		if err := e.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "plan"}, stored); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	get()
	plan := &stored.Spec.Template.Spec
	plan.Steps = slices.Insert(plan.Steps, 1, v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(60))})
	if err := e.Client.Update(t.Context(), stored, client.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	apply()
	get()
	var got []string
	for _, step := range stored.Spec.Template.Spec.Steps {
		got = append(got, step.Name)
	}
	if want := []string{"wait", "ask"}; !slices.Equal(got, want) {
		t.Errorf("git says %v, and the plan is %v", want, got)
	}
}
