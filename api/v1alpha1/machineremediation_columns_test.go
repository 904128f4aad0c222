package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// repair is a MachineRemediation as kubectl get shows it.
type repair struct {
	phase   v1alpha1.RemediationPhase
	step    string
	attempt int32
	reason  string
	next    bool
	want    []any
}

// repairs are the rows of all phases. Future times are printed as they are: their ages would be "<invalid>".
var repairs = []repair{
	{"", "", 0, "", false, []any{"machine", nil, nil, nil, nil, nil, nil}},
	{v1alpha1.RemediationPending, "reboot", 1, v1alpha1.ReasonApprovalRequired, false, []any{"machine", "Pending", "reboot", 1.0, "ApprovalRequired", nil, nil}},
	{v1alpha1.RemediationActing, "reboot", 1, v1alpha1.ReasonActing, true, []any{"machine", "Acting", "reboot", 1.0, "Acting", nil, "2030-01-01T00:00:00Z"}},
	{v1alpha1.RemediationProbation, "reboot", 2, v1alpha1.ReasonProbation, true, []any{"machine", "Probation", "reboot", 2.0, "Probation", nil, "2030-01-01T00:00:00Z"}},
	{v1alpha1.RemediationHeld, "", 3, v1alpha1.ReasonNoStepLeft, false, []any{"machine", "Held", nil, 3.0, "NoStepLeft", nil, nil}},
	{v1alpha1.RemediationEnded, "reboot", 2, v1alpha1.ReasonEnded, false, []any{"machine", "Ended", "reboot", 2.0, "Ended", "Recovered", nil}},
}

func (r repair) build(t *testing.T, ns, name string) *v1alpha1.MachineRemediation {
	t.Helper()
	object := recordOf(t, ns, name, record)
	object.Status = v1alpha1.MachineRemediationStatus{Phase: r.phase, Step: r.step, Attempt: r.attempt}
	if r.next {
		object.Status.NextTransitionTime = new(metav1.Date(2030, 1, 1, 0, 0, 0, 0, build.Epoch.Location()))
	}
	say := func(conditionType, reason string) {
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
			Type: conditionType, Status: metav1.ConditionUnknown, Reason: reason, LastTransitionTime: metav1.NewTime(build.Epoch),
		})
	}
	say("NotAskedFor", "Other")
	if r.reason != "" {
		say(v1alpha1.ConditionProgressing, r.reason)
	}
	if r.phase == v1alpha1.RemediationEnded {
		say(v1alpha1.ConditionSucceeded, v1alpha1.ReasonRecovered)
	}
	return object
}

func TestColumnsOfRecords(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for i, repair := range repairs {
		build.Create(t.Context(), t, e.Client, repair.build(t, ns, fmt.Sprintf("m%02d", i)))
	}
	got := table(t, e.Config, ns, "machineremediations")
	if diff := cmp.Diff([]string{"Name", "Machine", "Phase", "Step", "Attempt", "Reason", "Outcome", "Next", "Age"}, columns(got)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	for i, repair := range repairs {
		cells := got.Rows[i].Cells
		if age := cells[len(cells)-1].(string); age == "" || age == "<unknown>" {
			t.Errorf("line %d has the age %q", i, age)
		}
		if diff := cmp.Diff(append([]any{fmt.Sprintf("m%02d", i)}, repair.want...), cells[:len(cells)-1]); diff != "" {
			t.Errorf("line %d, phase %s (-want +got):\n%s", i, repair.phase, diff)
		}
	}
	for _, column := range got.ColumnDefinitions {
		if column.Name == "Next" && (column.Type != "string" || column.Priority != 0) {
			t.Errorf("Next is %+v", column)
		}
	}
}

func TestColumnsOfPlans(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, change := range map[string]string{"a": "{}", "b": "{mode: Observe, maxInFlight: 3}", "c": "{mode: Approve, maxInFlight: 20%}"} {
		given := unstructuredOf("MachineRemediationTemplate", ns, name)
		given.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, with(t, plan, change))}}
		build.Create(t.Context(), t, e.Client, given)
	}
	accept(t, e, ns, "b")
	got := table(t, e.Config, ns, "machineremediationtemplates")
	if diff := cmp.Diff([]string{"Name", "Mode", "Max in flight", "Accepted", "Age"}, columns(got)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	for i, want := range [][]any{{"a", "Act", nil, nil}, {"b", "Observe", "3", "True"}, {"c", "Approve", "20%", nil}} {
		if diff := cmp.Diff(want, got.Rows[i].Cells[:4]); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i, diff)
		}
	}
}

// accept writes the status of a plan.
func accept(t *testing.T, e *env.Env, ns, name string) {
	t.Helper()
	object := &v1alpha1.MachineRemediationTemplate{}
	object.Namespace, object.Name = ns, name
	get(t, e, object)
	object.SetConditions([]metav1.Condition{{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: "Accepted", LastTransitionTime: metav1.NewTime(build.Epoch)}})
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// TestShortNames checks the short names and categories for kubectl get.
func TestShortNames(t *testing.T) {
	for resource, want := range map[string]string{"machineremediations": "mr", "machineremediationtemplates": "mrt"} {
		names := definition(t, resource).Spec.Names
		if diff := cmp.Diff([]string{want}, names.ShortNames); diff != "" {
			t.Errorf("%s: short names (-want +got):\n%s", resource, diff)
		}
		if diff := cmp.Diff([]string{"sickbay", "cluster-api"}, names.Categories); diff != "" {
			t.Errorf("%s: categories (-want +got):\n%s", resource, diff)
		}
		if !strings.HasPrefix(resource, names.Singular) {
			t.Errorf("%s: singular is %s", resource, names.Singular)
		}
	}
}
