package healthcheck_test

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// refusing stores clocks unless it has an error.
type refusing struct {
	healthcheck.ProgressStore[*Widget]

	err error
}

func (r *refusing) Save(ctx context.Context, widget *Widget, progress []healthcheck.Progress) error {
	if r.err != nil {
		return r.err
	}
	return r.ProgressStore.Save(ctx, widget, progress)
}

// TestClocksThatAreRefused: without the permission to store clocks, conditions that need none are
// still written.
func TestClocksThatAreRefused(t *testing.T) {
	slow := result(healthcheck.Progressing, "RollingOut", "")
	slow.Within = time.Minute
	f := inMemory(t, condition("Slow", says(slow, nil)), condition("Open", says(result(healthcheck.True, "Fine", ""), nil)))
	f.Root = healthcheck.Root{Type: "Ready"}
	clocks := &refusing{f.Progress, apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "w", errors.New("no right to patch"))}
	f.Progress = clocks
	stored := func(conditionType string) healthcheck.Condition {
		t.Helper()
		for _, c := range f.Store.Get(f.widget) {
			if c.Type == conditionType {
				return c
			}
		}
		return healthcheck.Condition{}
	}
	for range 2 {
		if _, err := f.Reconcile(t.Context(), f.request()); !apierrors.IsForbidden(err) {
			t.Fatalf("it returned %v", err)
		}
	}
	if c := stored("Open"); c.Status != healthcheck.True {
		t.Errorf("what needs no clock is %+v", c)
	}
	for _, conditionType := range []string{"Slow", "Ready"} {
		if c := stored(conditionType); c.Status != healthcheck.Unknown || c.Reason != healthcheck.ReasonCheckFailed {
			t.Errorf("%s, which needs one, is %+v", conditionType, c)
		}
	}

	// A temporary failure is retried, and changes nothing meanwhile.
	clocks.err = apierrors.NewServiceUnavailable("one moment")
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil {
		t.Error("the failure was not returned")
	}
	clocks.err = nil
	f.reconcile(t)
	if c := stored("Slow"); c.Status != healthcheck.Progressing {
		t.Errorf("with the right it is %+v", c)
	}
}
