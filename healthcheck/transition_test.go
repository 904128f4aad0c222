package healthcheck_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// broken is a store whose Apply fails while fails is set.
type broken struct {
	healthcheck.Store[*Widget]

	fails *bool
}

var errBroken = errors.New("etcd is full")

// Apply implements healthcheck.Store.
func (b broken) Apply(ctx context.Context, widget *Widget, conditions []healthcheck.Condition) error {
	if *b.fails {
		return errBroken
	}
	return b.Store.Apply(ctx, widget, conditions)
}

// TestTransitionsAreToldAsTheyAreStored: one condition is removed, and then another cannot be written. The removal is
// reported now, because the next look cannot see it; the other is reported once it is stored.
func TestTransitionsAreToldAsTheyAreStored(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	other := f.Conditions[0]
	f.Conditions = append(f.Conditions, healthcheck.ConditionChecks[*Widget]{Type: "Other", Checks: other.Checks})
	f.reconcile(t)
	f.transitions = nil
	fails := true
	f.Store = broken{f.Store, &fails}
	f.applicability, f.result = healthcheck.DoesNotApply, result(healthcheck.False, "Broken", "")
	told := func() []string {
		var list []string
		for _, transition := range f.transitions {
			list = append(list, transition.From.Type+" "+string(transition.To.Status))
		}
		return list
	}
	for range 2 {
		if _, err := f.Reconcile(t.Context(), f.request()); !errors.Is(err, errBroken) {
			t.Errorf("error is %v, want that of the store", err)
		}
		if diff := cmp.Diff([]string{"Healthy "}, told()); diff != "" {
			t.Errorf("told when one is removed and one cannot be written (-want +got):\n%s", diff)
		}
	}
	fails = false
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Healthy ", "Other False"}, told()); diff != "" {
		t.Errorf("told in the end (-want +got):\n%s", diff)
	}
}

// TestOnTransitionPanics: the transitions after one whose OnTransition panics are stored already, so they must be reported now.
func TestOnTransitionPanics(t *testing.T) {
	fine := says(healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}, nil)
	f := inMemory(t, condition("A", fine), condition("B", fine))
	reported := map[string]int{}
	f.OnTransition = func(_ context.Context, _ *Widget, tr healthcheck.Transition) {
		if reported[tr.To.Type]++; tr.To.Type == "A" {
			panic("oh dear")
		}
	}
	for range 3 {
		f.reconcile(t)
	}
	if reported["B"] != 1 {
		t.Errorf("B was reported %d times", reported["B"])
	}
}
