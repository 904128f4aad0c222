package healthcheck_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestLater: a run that is put off leaves everything as it is, also what other checks have found out, and comes back without an error.
func TestLater(t *testing.T) {
	later := fmt.Errorf("asking: %w", &healthcheck.LaterError{After: 300 * time.Millisecond})
	for name, put := range map[string]func(*fixture, error){
		"by a check": func(f *fixture, err error) {
			f.Conditions[0].Checks = append(f.Conditions[0].Checks, healthcheck.NamedCheck[*Widget]{
				Name: "other", Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
					return healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}, err
				}),
			})
		},
		"by a precheck": func(f *fixture, err error) {
			f.Conditions[0].Prechecks = append(f.Conditions[0].Prechecks, func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
				return healthcheck.Applies, err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, healthcheck.Result{Status: healthcheck.True, Reason: "Fine"})
			f.reconcile(t)
			before := f.stored(t)
			f.result = healthcheck.Result{Status: healthcheck.False, Reason: "Broken"}
			checks, prechecks := f.Conditions[0].Checks, f.Conditions[0].Prechecks
			put(f, later)
			if again := f.reconcile(t).RequeueAfter; again != 300*time.Millisecond {
				t.Errorf("it is looked at again after %s", again)
			}
			if after := f.stored(t); after.ResourceVersion != before.ResourceVersion {
				t.Errorf("something was written: %+v", after.Status.Conditions)
			}
			f.Conditions[0].Checks, f.Conditions[0].Prechecks = checks, prechecks
			put(f, errors.New("broken"))
			if _, err := f.Reconcile(t.Context(), f.request()); err == nil {
				t.Error("another error is none")
			}
		})
	}
}
