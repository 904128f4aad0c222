package healthcheck_test

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestClockOfABusyObject: the object changes during each run. It still gets its condition, and its clock does not
// restart.
func TestClockOfABusyObject(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "widgets"}
	cause := "Waiting"
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(ctx context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		edited := in.Object.DeepCopyObject().(*Widget)
		edited.Spec.Size++
		if err := f.env.Client.Patch(ctx, edited, client.MergeFrom(in.Object)); err != nil {
			return healthcheck.Result{}, err
		}
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Cause: cause, Within: time.Minute}, nil
	})
	// The cache may lag, and an earlier process may have stored a clock that it does not show yet.
	if again := f.reconcile(t).RequeueAfter; again != time.Second {
		t.Errorf("the first time it is looked at again after %s, want a second", again)
	}
	for second := range 3 {
		f.clock.SetTime(in(time.Duration(second*20) * time.Second))
		if again, want := f.reconcile(t).RequeueAfter, time.Minute-time.Duration(second*20)*time.Second; again != want {
			t.Errorf("it is looked at again after %s, want %s", again, want)
		}
		widget := f.stored(t)
		if widget.Spec.Size != second+2 {
			t.Errorf("the size is %d, want that nothing is taken back", widget.Spec.Size)
		}
		if len(widget.Status.Conditions) != 1 || widget.Status.Conditions[0].Reason != "RollingOut" {
			t.Errorf("conditions are %+v", widget.Status.Conditions)
		}
	}
	// The run only writes a clock, and then waits for the cache to show it.
	cause = "StillWaiting"
	f.reconcile(t)
	f.reconcile(t)
	seen := f.stored(t)
	f.clock.SetTime(in(time.Minute))
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" {
		t.Errorf("the condition is %+v", c)
	}
	if got := len(f.Progress.Load(seen)); got != 2 {
		t.Errorf("%d clocks are kept, want that of each cause", got)
	}
}
