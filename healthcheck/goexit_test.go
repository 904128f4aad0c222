package healthcheck_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestGoexitEndsACheck at once, as a panic does, and nothing else: neither the other checks nor the worker that runs them.
func TestGoexitEndsACheck(t *testing.T) {
	fine := result(healthcheck.True, "Fine", "")
	ends := func() (healthcheck.Result, error) { runtime.Goexit(); return fine, nil }
	concluded, summed, prechecked := condition("Concluded", says(fine, nil)), condition("Summed", says(fine, nil)), condition("Prechecked", says(fine, nil))
	concluded.Conclude = func(healthcheck.Findings) healthcheck.Result { runtime.Goexit(); return fine }
	summed.Summary = func([]healthcheck.NamedResult, healthcheck.Result) string { runtime.Goexit(); return "" }
	prechecked.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
		runtime.Goexit()
		return healthcheck.Applies, nil
	}}
	f := inMemory(t, condition("Checked", ends), concluded, summed, prechecked, condition("Fine", says(fine, nil)))
	f.CheckTimeout = time.Hour
	f.OnTransition = func(context.Context, *Widget, healthcheck.Transition) { runtime.Goexit() }
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil {
		t.Error("it is no error")
	}
	got := map[string]string{}
	for _, c := range f.Store.Get(f.widget) {
		got[c.Type] = c.Reason + " " + c.Message
	}
	const panicked, ended = healthcheck.ReasonCheckPanicked + " ", " called runtime.Goexit instead of returning"
	want := map[string]string{
		"Checked": panicked + "check answer" + ended, "Concluded": panicked + "making condition Concluded" + ended,
		"Summed": panicked + "making condition Summed" + ended, "Prechecked": panicked + "deciding whether Prechecked applies" + ended, "Fine": "Fine ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

// TestDampingCostsNoWrite for a finding that changes nothing: an alternating check is not written, neither its condition nor its
// count.
func TestDampingCostsNoWrite(t *testing.T) {
	status := healthcheck.True
	c := condition("Probed", func() (healthcheck.Result, error) { return healthcheck.Result{Status: status, Reason: "Found"}, nil })
	c.Damping = healthcheck.Damping{Failures: 3, Interval: 10 * time.Second}
	f := inMemory(t, c)
	f.reconcile(t)
	before := f.stored(t).ResourceVersion
	for n := range 40 {
		status = []healthcheck.Status{healthcheck.False, healthcheck.True}[n%2]
		f.clock.SetTime(f.clock.Now().Add(10 * time.Second))
		f.reconcile(t)
	}
	if got := f.stored(t); got.ResourceVersion != before || f.kept()["Probed"] != healthcheck.True {
		t.Errorf("it was written: %+v, %v", got.Annotations, f.kept())
	}
	status = healthcheck.False
	for range 3 {
		f.clock.SetTime(f.clock.Now().Add(10 * time.Second))
		f.reconcile(t)
	}
	if got := f.kept()["Probed"]; got != healthcheck.False {
		t.Errorf("after three findings it is %s", got)
	}
}
