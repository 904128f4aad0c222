package healthcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// fails adds a check that fails while failing is true.
func (f *harness) fails(failing *bool) {
	f.Conditions[0].Checks = append(f.Conditions[0].Checks, healthcheck.NamedCheck[*Widget]{
		Name: "failing", Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			if *failing {
				return healthcheck.Result{}, errCheck
			}
			return result(healthcheck.True, "Fine", ""), nil
		}),
	})
}

// TestBackoffBesideARecheck: one check fails, and another asks for frequent rechecks. The first is retried less and less
// often, and the second runs when it asked to.
func TestBackoffBesideARecheck(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	recheck := 20 * time.Second
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: in.Now.Add(recheck)}, nil
	})
	failing := true
	f.fails(&failing)
	runs := func(during time.Duration) int {
		t.Helper()
		count := 0
		for end := f.clock.Now().Add(during); f.clock.Now().Before(end); count++ {
			again := f.reconcile(t).RequeueAfter
			if again <= 0 || again > recheck {
				t.Fatalf("it is looked at again after %s, want no later than %s", again, recheck)
			}
			f.clock.SetTime(f.clock.Now().Add(again))
		}
		return count
	}
	if got := runs(10 * time.Minute); got > 45 {
		t.Errorf("%d runs in ten minutes, want one every %s after the first", got, recheck)
	}
	failing = false
	runs(time.Minute)
	failing = true
	if got := f.reconcile(t).RequeueAfter; got > time.Second {
		t.Errorf("after a success the next failure is tried again after %s, want soon", got)
	}
}
