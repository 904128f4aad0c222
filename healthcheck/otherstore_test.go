package healthcheck_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// A Finding is a condition of another type than metav1.Condition: it has codes and a fourth
// status, but no generation.
type Finding struct {
	Kind    string      `json:"kind"`
	State   string      `json:"state"`
	Why     string      `json:"why,omitempty"`
	Text    string      `json:"text,omitempty"`
	Codes   []string    `json:"codes,omitempty"`
	Changed metav1.Time `json:"changed"`
}

// findingStore stores conditions as Findings. It replaces the whole list, since it has no
// other writers.
type findingStore struct{ client client.Client }

var _ healthcheck.Store[*Widget] = findingStore{}

// Get implements healthcheck.Store.
func (s findingStore) Get(widget *Widget) []healthcheck.Condition {
	var conditions []healthcheck.Condition
	for _, f := range widget.Status.Findings {
		conditions = append(conditions, healthcheck.Condition{
			Type: f.Kind, Status: healthcheck.Status(f.State), Reason: f.Why, Message: f.Text,
			Codes: f.Codes, LastTransitionTime: f.Changed.Time,
		})
	}
	return conditions
}

// Normalize implements healthcheck.Store.
func (s findingStore) Normalize(c healthcheck.Condition) healthcheck.Condition {
	c.ObservedGeneration = 0
	return c
}

// Apply implements healthcheck.Store.
func (s findingStore) Apply(ctx context.Context, widget *Widget, conditions []healthcheck.Condition) error {
	var findings []Finding
	for _, c := range conditions {
		findings = append(findings, Finding{c.Type, string(c.Status), c.Reason, c.Message, c.Codes, metav1.NewTime(c.LastTransitionTime)})
	}
	return s.write(ctx, widget, findings)
}

// Remove implements healthcheck.Store.
func (s findingStore) Remove(ctx context.Context, widget *Widget, types []string) error {
	kept := slices.DeleteFunc(slices.Clone(widget.Status.Findings), func(f Finding) bool { return slices.Contains(types, f.Kind) })
	return s.write(ctx, widget, kept)
}

func (s findingStore) write(ctx context.Context, widget *Widget, findings []Finding) error {
	changed := widget.DeepCopyObject().(*Widget)
	changed.Status.Findings = findings
	return s.client.Status().Patch(ctx, changed, client.MergeFrom(widget))
}

// TestAnotherConditionType: the engine works with any condition type.
func TestAnotherConditionType(t *testing.T) {
	f := newHarness(t, codes(withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(time.Minute)), "SLOW"))
	f.Store = findingStore{f.env.Client}
	f.reconcile(t)
	want := []Finding{{"Healthy", "Progressing", "RollingOut", "2 of 3", []string{"SLOW"}, metav1.NewTime(now)}}
	if diff := cmp.Diff(want, f.stored(t).Status.Findings); diff != "" {
		t.Errorf("stored findings (-want +got):\n%s", diff)
	}

	version := f.stored(t).ResourceVersion
	f.reconcile(t)
	if got := f.stored(t).ResourceVersion; got != version {
		t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
	}

	f.clock.SetTime(in(time.Minute))
	f.reconcile(t)
	want[0].State, want[0].Why, want[0].Changed = "False", healthcheck.ReasonDeadlineExceeded, metav1.NewTime(in(time.Minute))
	if diff := cmp.Diff(want, f.stored(t).Status.Findings); diff != "" {
		t.Errorf("stored findings at the deadline (-want +got):\n%s", diff)
	}

	f.applicability = healthcheck.DoesNotApply
	f.reconcile(t)
	if got := f.stored(t).Status.Findings; len(got) != 0 {
		t.Errorf("stored findings are %+v, want none", got)
	}
}
