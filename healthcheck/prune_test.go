package healthcheck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestAbandonedConditionsAreRemoved: an earlier version of the program had another condition. It goes, and what others
// have written stays.
func TestAbandonedConditionsAreRemoved(t *testing.T) {
	f := newFixture(t, result(healthcheck.True, "Fine", ""))
	f.Conditions[0].Type = "Abandoned"
	f.reconcile(t)
	f.writeForeign(t, foreign("Foreign"))

	f.Conditions[0].Type, f.transitions = "Healthy", nil
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Foreign", "Healthy"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	gone := func(transition healthcheck.Transition) bool { return transition.To.Status == "" }
	if len(f.transitions) != 2 || !gone(f.transitions[1]) || f.transitions[1].From.Type != "Abandoned" {
		t.Errorf("transitions are %+v", f.transitions)
	}
	before := f.stored(t).ResourceVersion
	f.reconcile(t)
	if f.stored(t).ResourceVersion != before {
		t.Error("nothing has changed, and something was written")
	}
}

// TestSeveralRegistrations of one kind leave each other's conditions alone.
func TestSeveralRegistrations(t *testing.T) {
	f := newFixture(t, result(healthcheck.True, "Fine", ""))
	other := &healthcheck.Reconciler[*Widget]{Client: f.Client, Clock: f.Clock, Registration: f.Registration}
	other.Store = healthcheck.Metav1Store[*Widget]{Client: f.env.Client, FieldOwner: "others"}
	other.Conditions = []healthcheck.ConditionChecks[*Widget]{{Type: "Other", Checks: f.Conditions[0].Checks}}
	for _, status := range []healthcheck.Status{healthcheck.True, healthcheck.False, healthcheck.True} {
		f.result.Status = status
		for _, r := range []*healthcheck.Reconciler[*Widget]{f.Reconciler, other} {
			if _, err := r.Reconcile(t.Context(), f.request()); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]metav1.ConditionStatus{"Healthy": metav1.ConditionStatus(status), "Other": metav1.ConditionStatus(status)}
		got := map[string]metav1.ConditionStatus{}
		for _, c := range f.stored(t).Status.Conditions {
			got[c.Type] = c.Status
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("conditions (-want +got):\n%s", diff)
		}
	}
}

// TestOwned reads whatever may be in managed fields.
func TestOwned(t *testing.T) {
	entry := func(manager, raw string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(raw)}
	}
	ours := `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{}}}}`
	tests := map[string]struct {
		fields []metav1.ManagedFieldsEntry
		want   []string
	}{
		"none":                     {nil, nil},
		"ours":                     {[]metav1.ManagedFieldsEntry{entry("us", ours)}, []string{"Ready"}},
		"somebody else's":          {[]metav1.ManagedFieldsEntry{entry("them", ours)}, nil},
		"a word that is elsewhere": {[]metav1.ManagedFieldsEntry{entry("us", `{"f:spec":{"f:Ready":{}}}`)}, nil},
		"broken":                   {[]metav1.ManagedFieldsEntry{entry("us", `{"Ready`)}, nil},
		"nothing in it":            {[]metav1.ManagedFieldsEntry{{Manager: "us"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			widget := &Widget{ObjectMeta: metav1.ObjectMeta{ManagedFields: tt.fields}}
			got := healthcheck.Metav1Store[*Widget]{FieldOwner: "us"}.Owned(widget, []string{"Ready", "Missing"})
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("owned (-want +got):\n%s", diff)
			}
		})
	}
}
