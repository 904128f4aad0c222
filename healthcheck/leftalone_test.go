package healthcheck_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// TestWhatIsLeftAloneStaysWithItsWriter: a condition of another writer that is left alone is not written with ours, let alone an
// outdated version from the cache.
func TestWhatIsLeftAloneStaysWithItsWriter(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t) // From now on the API server tracks field owners.
	f.result.Status = healthcheck.False
	other := condition("Other", says(result(healthcheck.True, "Ours", ""), nil))
	other.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
		return healthcheck.LeaveAlone, nil
	}}
	f.Conditions = append(f.Conditions, other)
	f.writeForeign(t, foreign("Other"))
	f.Client = stale{f.env.Client, f.stored(t)}
	widget := f.stored(t)
	last := &widget.Status.Conditions[len(widget.Status.Conditions)-1]
	last.Status, last.Reason = metav1.ConditionTrue, "News"
	if err := f.env.Client.Status().Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	widget = f.stored(t)
	if got := types(widget); len(got) != 2 {
		t.Fatalf("conditions are %v", got)
	}
	for _, c := range widget.Status.Conditions {
		if c.Type == "Other" && c.Reason != "News" {
			t.Errorf("the condition of somebody else is %+v again", c)
		}
	}
	if ownwrites.Wrote(widget, "Other", fieldOwner) {
		t.Error("the condition of somebody else is ours, too")
	}
}

// TestWhatIsLeftAloneStays: writing our other conditions keeps those of ours that are left alone.
func TestWhatIsLeftAloneStays(t *testing.T) {
	for name, strip := range map[string]bool{"cached as it is": false, "cached without managed fields": true} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, result(healthcheck.True, "Fine", ""))
			answer := result(healthcheck.True, "Fine", "")
			f.Conditions = append(f.Conditions, condition("Other", func() (healthcheck.Result, error) { return answer, nil }))
			f.reconcile(t)
			f.applicability = healthcheck.LeaveAlone
			answer.Reason = "Better"
			if strip {
				cached := f.stored(t)
				cached.ManagedFields = nil
				f.Client = stale{f.env.Client, cached}
			}
			f.reconcile(t)
			if got := types(f.stored(t)); len(got) != 2 {
				t.Errorf("conditions are %v", got)
			}
		})
	}
}
