package healthcheck_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestShortDamping: clocks are stored in whole seconds. Still, several findings do not count at one
// moment.
func TestShortDamping(t *testing.T) {
	status := healthcheck.True
	c := condition("Probed", func() (healthcheck.Result, error) { return healthcheck.Result{Status: status, Reason: "Found"}, nil })
	c.Damping = healthcheck.Damping{Failures: 3, Interval: 500 * time.Millisecond}
	f := inMemory(t, c)
	f.reconcile(t)
	status = healthcheck.False
	at := 900 * time.Millisecond
	for look := range 3 {
		f.clock.SetTime(in(at))
		again := f.reconcile(t).RequeueAfter
		if look < 2 && again < 100*time.Millisecond {
			t.Errorf("look %d: the next finding counts after %s", look, again)
		}
		at += again
	}
}

// TestShortProgress: a time below a second counts as a second.
func TestShortProgress(t *testing.T) {
	f := inMemory(t, condition("Probed", says(healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Within: 500 * time.Millisecond}, nil)))
	f.clock.SetTime(in(900 * time.Millisecond))
	f.reconcile(t)
	if got := f.kept()["Probed"]; got != healthcheck.Progressing {
		t.Errorf("it is %s at once", got)
	}
}

// TestClockWithoutATime: a clock without a time is ignored.
func TestClockWithoutATime(t *testing.T) {
	f := inMemory(t, condition("Probed", says(healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Within: time.Minute}, nil)))
	widget := f.stored(t)
	widget.Annotations = map[string]string{healthcheck.ProgressAnnotation + "widgets": `{"Probed|answer|Moving":{}}`}
	if err := f.writer.Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	if got := f.kept()["Probed"]; got != healthcheck.Progressing {
		t.Errorf("it is %s at once", got)
	}
}

// TestCauseIsNotUTF8: a cause that was cut in the middle of a letter has one clock, too.
func TestCauseIsNotUTF8(t *testing.T) {
	f := inMemory(t, condition("Probed", says(healthcheck.Result{
		Status: healthcheck.Progressing, Reason: "Rolling", Cause: "Überprüfung"[:1], Within: time.Minute,
	}, nil)))
	for range 10 {
		again := f.reconcile(t).RequeueAfter
		f.clock.SetTime(f.clock.Now().Add(max(again, 10*time.Second)))
	}
	if got := f.kept(); got["Probed"] != healthcheck.False {
		t.Errorf("after %s got %v", f.clock.Now().Sub(now), got)
	}
}
