package v1alpha1_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestStatusOfRecordsComesBackAsItWas: every field survives storing, also with values that no version knows yet.
func TestStatusOfRecordsComesBackAsItWas(t *testing.T) {
	e := env.Get(t)
	object := recordOf(t, e.Namespace(t), "m", record)
	build.Create(t.Context(), t, e.Client, object)
	var want v1alpha1.MachineRemediationStatus
	fill(t, reflect.ValueOf(&want).Elem())
	want.DeepCopyInto(&object.Status)
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, storedRecord(t, e.Client, object.Namespace, "m").Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStatusOfPlansComesBackAsItWas.
func TestStatusOfPlansComesBackAsItWas(t *testing.T) {
	e := env.Get(t)
	object := &v1alpha1.MachineRemediationTemplate{}
	object.Namespace, object.Name = e.Namespace(t), "plan"
	object.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{{Name: "hold", Action: v1alpha1.ActionHold}}
	build.Create(t.Context(), t, e.Client, object)
	var want v1alpha1.MachineRemediationTemplateStatus
	fill(t, reflect.ValueOf(&want).Elem())
	want.DeepCopyInto(&object.Status)
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	get(t, e, object)
	if diff := cmp.Diff(want, object.Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStatusOfRecordsIsASubresource: writes to the spec do not change the status, and writes to the status do not change the spec.
func TestStatusOfRecordsIsASubresource(t *testing.T) {
	e := env.Get(t)
	object := recordOf(t, e.Namespace(t), "m", record)
	object.Status.Phase = v1alpha1.RemediationEnded
	if err := e.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if got := storedRecord(t, e.Client, object.Namespace, "m").Status.Phase; got != "" {
		t.Errorf("after creation the phase is %s: to create a record must not write its status", got)
	}
	object.Status.Phase, object.Spec.Grant = v1alpha1.RemediationPending, 5
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	got := storedRecord(t, e.Client, object.Namespace, "m")
	if got.Status.Phase != v1alpha1.RemediationPending || got.Spec.Grant != 0 || got.Generation != 1 {
		t.Errorf("after a write of the status: phase %q, grant %d, generation %d", got.Status.Phase, got.Spec.Grant, got.Generation)
	}
	got.Status.Phase, got.Spec.Grant = v1alpha1.RemediationActing, 1
	if err := e.Client.Update(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	got = storedRecord(t, e.Client, object.Namespace, "m")
	if got.Status.Phase != v1alpha1.RemediationPending || got.Spec.Grant != 1 || got.Generation != 2 {
		t.Errorf("after a write of the rest: phase %q, grant %d, generation %d", got.Status.Phase, got.Spec.Grant, got.Generation)
	}
}

// TestStatusOfRecordsIsChecked: a status is refused only if it makes no sense.
func TestStatusOfRecordsIsChecked(t *testing.T) {
	e := env.Get(t)
	object := recordOf(t, e.Namespace(t), "m", record)
	build.Create(t.Context(), t, e.Client, object)
	attempts := func(all ...v1alpha1.RemediationAttempt) v1alpha1.MachineRemediationStatus {
		return v1alpha1.MachineRemediationStatus{Attempts: all}
	}
	attempt := v1alpha1.RemediationAttempt{Number: 1, Step: "replace"}
	made := func(what v1alpha1.RemediationObjectReference) v1alpha1.MachineRemediationStatus {
		return attempts(v1alpha1.RemediationAttempt{Number: 1, Step: "replace", ObjectRef: &what})
	}
	var many []v1alpha1.RemediationAttempt
	for i := range int32(64) {
		many = append(many, v1alpha1.RemediationAttempt{Number: i + 1, Step: "replace"})
	}
	for name, tt := range map[string]struct {
		status v1alpha1.MachineRemediationStatus
		want   string
	}{
		"nothing":          {v1alpha1.MachineRemediationStatus{}, ""},
		"another phase":    {v1alpha1.MachineRemediationStatus{Phase: "Sleeping"}, ""},
		"another result":   {attempts(v1alpha1.RemediationAttempt{Number: 1, Step: "replace", Result: "Tied"}), ""},
		"another answer":   {attempts(v1alpha1.RemediationAttempt{Number: 1, Step: "replace", Decision: &v1alpha1.RemediationDecision{Attempt: 1, Answer: "Postpone", Step: "replace"}}), ""},
		"64 attempts":      {attempts(many...), ""},
		"an attempt twice": {attempts(attempt, attempt), `status.attempts[1]: Duplicate value: {"number":1}`},
		"object":           {made(v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "K", Name: "n"}), ""},
		"a successor":      {v1alpha1.MachineRemediationStatus{ReplacementRef: &v1alpha1.RemediationReference{Name: "n", UID: "u"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := object.DeepCopy()
			changed.Status = tt.status
			check(t, e.Client.Status().Update(t.Context(), changed), tt.want)
			object.ResourceVersion = changed.ResourceVersion
		})
	}
}

// TestStatusHasNoEnumerations: a definition that is older than the controller must accept what the controller
// writes. The conditions are Kubernetes' own type.
func TestStatusHasNoEnumerations(t *testing.T) {
	for _, resource := range []string{"machineremediations", "machineremediationtemplates"} {
		status := definition(t, resource).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
		delete(status.Properties, "conditions")
		walk("status", status, func(path string, is apiextensionsv1.JSONSchemaProps) {
			if len(is.Enum) > 0 || len(is.XValidations) > 0 || is.Pattern != "" {
				t.Errorf("%s, %s: enumeration %s, pattern %q, rules %v", resource, path, is.Enum, is.Pattern, is.XValidations)
			}
		})
	}
}

// walk visits a schema and everything in it, in order.
func walk(path string, is apiextensionsv1.JSONSchemaProps, visit func(path string, is apiextensionsv1.JSONSchemaProps)) {
	visit(path, is)
	for _, name := range slices.Sorted(maps.Keys(is.Properties)) {
		walk(path+"."+name, is.Properties[name], visit)
	}
	if is.Items != nil && is.Items.Schema != nil {
		walk(path+"[0]", *is.Items.Schema, visit)
	}
}
