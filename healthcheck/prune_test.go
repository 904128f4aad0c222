package healthcheck_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// TestAbandonedConditionsAreRemoved: an earlier version of the program had another condition. It is removed, and those
// of other writers stay.
func TestAbandonedConditionsAreRemoved(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
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

// TestConditionsOfANamesakeStay: the operator that contains the engine may write its own conditions under the same owner
// name, because the default of both is the name of the program.
func TestConditionsOfANamesakeStay(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t)
	widget := f.stored(t)
	widget.Status.Conditions = append(widget.Status.Conditions, foreign("Foreign"))
	if err := f.env.Client.Status().Update(t.Context(), widget, client.FieldOwner(fieldOwner)); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Foreign", "Healthy"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

// TestDefaultsOfTheStore: without settings, a registration writes with the manager's client and its own name.
func TestDefaultsOfTheStore(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	for name, want := range map[string]string{
		"widgets": "widgets", "with a " + strings.Repeat("long ", 30) + "name": "16288dc01fa2321a35d573b659fddc0ee17cc55d27ada81863463827", "two\nlines": "52a2fcc88567da50fffa3a683ec1a48b4fd6b6c6322dfd22062f1728",
	} {
		widget := create(t, f.env)
		r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
		r.Name, r.OnTransition, r.Store = name, nil, healthcheck.Metav1Store[*Widget]{}
		f.env.Manager(t, env.ManagerOptions{Namespaces: []string{widget.Namespace}, Setup: r.SetupWithManager})
		g.Eventually(func() []metav1.ManagedFieldsEntry { return read(t, f.env.Client, widget).ManagedFields }, patience).Should(
			ContainElement(HaveField("Manager", HavePrefix(want))))
	}
	// A custom store keeps the settings that it was made with.
	inner := healthcheck.Metav1Store[*Widget]{Client: f.env.Client}
	own := &struct {
		healthcheck.Metav1Store[*Widget]
	}{inner}
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.Name, r.Store = "own", own
	f.env.Manager(t, env.ManagerOptions{Setup: r.SetupWithManager})
	if r.Store != healthcheck.Store[*Widget](own) {
		t.Errorf("the store is %#v", r.Store)
	}
}

// TestSeveralRegistrations: registrations of one kind leave each other's conditions alone.
func TestSeveralRegistrations(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
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

// TestWrote reads all kinds of managed fields.
func TestWrote(t *testing.T) {
	entry := func(manager, raw string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(raw)}
	}
	updated := func(entry metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
		entry.Operation = metav1.ManagedFieldsOperationUpdate
		return entry
	}
	ours := `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{}}}}`
	tests := map[string]struct {
		fields []metav1.ManagedFieldsEntry
		want   []string
	}{
		"none":                      {nil, nil},
		"ours":                      {[]metav1.ManagedFieldsEntry{entry("us", ours)}, []string{"Ready"}},
		"of a namesake who updates": {[]metav1.ManagedFieldsEntry{updated(entry("us", ours))}, nil},
		"somebody else's":           {[]metav1.ManagedFieldsEntry{entry("them", ours)}, nil},
		"a word that is elsewhere":  {[]metav1.ManagedFieldsEntry{entry("us", `{"f:spec":{"f:Ready":{}}}`)}, nil},
		"broken":                    {[]metav1.ManagedFieldsEntry{entry("us", `{"Ready`)}, nil},
		"nothing in it":             {[]metav1.ManagedFieldsEntry{{Manager: "us"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			widget := &Widget{ObjectMeta: metav1.ObjectMeta{ManagedFields: tt.fields}}
			got := healthcheck.Metav1Store[*Widget]{FieldOwner: "us"}.Wrote(widget, []string{"Ready", "Missing"})
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("owned (-want +got):\n%s", diff)
			}
		})
	}
}
