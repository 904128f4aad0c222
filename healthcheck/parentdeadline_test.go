package healthcheck_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestReconciliationTimeout: the whole reconcile may have less time than a check. If one check hangs, the verdicts of
// the others are stored anyway.
func TestReconciliationTimeout(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	hangs := f.Conditions[0]
	hangs.Type = "Hangs"
	hangs.Checks = []healthcheck.NamedCheck[*Widget]{{Name: "hangs", Check: f.check()}}
	f.Conditions = append(f.Conditions, hangs)
	f.reconcile(t)

	f.Conditions[1].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(ctx context.Context, _ healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		<-ctx.Done()
		return healthcheck.Result{}, ctx.Err()
	})
	f.result = result(healthcheck.False, "Broken", "")
	f.Conditions[0].Checks[0].Check = f.check()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := f.Reconcile(ctx, f.request()); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want that of the check, as nothing else went wrong", err)
	}
	want := map[string]string{
		"Healthy": "Broken: ", "Hangs": healthcheck.ReasonCheckTimedOut + ": check hangs did not answer before the reconcile timed out",
	}
	got := map[string]string{}
	for _, c := range f.stored(t).Status.Conditions {
		got[c.Type] = c.Reason + ": " + c.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
