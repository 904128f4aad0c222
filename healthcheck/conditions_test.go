package healthcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestSeveralConditions: conditions are checked side by side, and none removes another.
func TestSeveralConditions(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	met := make(chan struct{})
	meets := func(meet func(ctx context.Context)) healthcheck.Check[*Widget] {
		return healthcheck.CheckFunc[*Widget](func(ctx context.Context, _ healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			meet(ctx)
			return result(healthcheck.True, "Met", ""), ctx.Err()
		})
	}
	f.Conditions = []healthcheck.ConditionChecks[*Widget]{
		{Type: "Giver", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "give", Check: meets(func(ctx context.Context) {
			select {
			case met <- struct{}{}:
			case <-ctx.Done():
			}
		})}}},
		{Type: "Taker", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "take", Check: meets(func(ctx context.Context) {
			select {
			case <-met:
			case <-ctx.Done():
			}
		})}}},
	}
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Giver", "Taker"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}

	giver := healthcheck.LeaveAlone
	f.Conditions[0].Prechecks = []healthcheck.Precheck[*Widget]{
		func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
			return giver, nil
		},
	}
	f.Conditions[1].Checks[0].Check = f.check()
	f.result = result(healthcheck.False, "LeftAlone", "")
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Giver", "Taker"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions when one is left alone and one changes (-want +got):\n%s", diff)
	}

	giver, f.result = healthcheck.DoesNotApply, result(healthcheck.True, "Alone", "")
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Taker"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions when one goes and one changes (-want +got):\n%s", diff)
	}
}

// TestCurrentIsHandedIn: a check that depends on its last answer keeps no state, so it gets its condition.
func TestCurrentIsHandedIn(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	var seen []*healthcheck.Condition
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		seen = append(seen, in.Current)
		return result(healthcheck.True, "Fine", ""), nil
	})
	f.reconcile(t)
	f.reconcile(t)
	if seen[0] != nil || seen[1] == nil || seen[1].Reason != "Fine" {
		t.Errorf("current was %+v, then %+v, want nothing, then what was stored", seen[0], seen[1])
	}
}

// TestDampedConditionKeepsItsGeneration: a True that stays although False was found says nothing about the new generation.
func TestDampedConditionKeepsItsGeneration(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "widgets"}
	f.Conditions[0].Damping = healthcheck.Damping{Failures: 2, Interval: 10 * time.Second}
	f.reconcile(t)
	widget := f.stored(t)
	widget.Spec.Size = 3
	if err := f.env.Client.Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.result = result(healthcheck.False, "Broken", "")
	f.reconcile(t)
	if got := f.stored(t).Status.Conditions[0]; got.Status != "True" || got.ObservedGeneration != 1 {
		t.Errorf("stored %+v, want that True is about generation 1", got)
	}
	f.clock.SetTime(in(10 * time.Second))
	f.reconcile(t)
	if got := f.stored(t).Status.Conditions[0]; got.Status != "False" || got.ObservedGeneration != 2 {
		t.Errorf("stored %+v, want that False is about generation 2", got)
	}
}
