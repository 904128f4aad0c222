package healthcheck_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestLater: a postponed condition stays as it is, whatever its other checks found, and the run returns no error.
func TestLater(t *testing.T) {
	later := fmt.Errorf("asking: %w", &healthcheck.LaterError{After: 3 * time.Second})
	for name, put := range map[string]func(*harness, error){
		"by a check": func(f *harness, err error) {
			f.Conditions[0].Checks = append(f.Conditions[0].Checks, healthcheck.NamedCheck[*Widget]{
				Name: "other", Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
					return healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}, err
				}),
			})
		},
		"by a precheck": func(f *harness, err error) {
			f.Conditions[0].Prechecks = append(f.Conditions[0].Prechecks, func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
				return healthcheck.Applies, err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, healthcheck.Result{Status: healthcheck.True, Reason: "Fine"})
			f.reconcile(t)
			before := f.stored(t)
			f.result = healthcheck.Result{Status: healthcheck.False, Reason: "Broken"}
			checks, prechecks := f.Conditions[0].Checks, f.Conditions[0].Prechecks
			put(f, later)
			if again := f.reconcile(t).RequeueAfter; again != 3*time.Second {
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

// TestSoonestLater: of several LaterErrors the soonest counts, also if one has no After.
func TestSoonestLater(t *testing.T) {
	later := func(after time.Duration) error {
		return fmt.Errorf("asking: %w", &healthcheck.LaterError{After: after})
	}
	tests := map[string]struct {
		errs []error
		want time.Duration
	}{
		"one":                      {[]error{later(time.Minute)}, time.Minute},
		"the sooner comes second":  {[]error{later(time.Minute), later(time.Second), later(time.Hour)}, time.Second},
		"several of one check":     {[]error{errors.Join(later(time.Minute), errors.New("broken"), later(3*time.Second))}, 3 * time.Second},
		"at no time":               {[]error{later(0)}, time.Second},
		"in the past":              {[]error{later(-time.Minute), later(time.Minute)}, time.Second},
		"sooner than the floor":    {[]error{later(time.Minute), later(30)}, 10 * time.Millisecond},
		"sooner than without time": {[]error{later(0), later(100 * time.Millisecond)}, 100 * time.Millisecond},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := inMemory(t)
			f.MinInterval = 10 * time.Millisecond
			for i, err := range tt.errs {
				f.Conditions = append(f.Conditions, condition(fmt.Sprint("C", i), says(healthcheck.Result{}, err)))
			}
			if got := f.reconcile(t).RequeueAfter; got != tt.want {
				t.Errorf("it is looked at again after %s, want %s", got, tt.want)
			}
		})
	}
}

// TestLaterOfOneCondition: a postponed condition stays as it is. Others are written, or retried after an error.
func TestLaterOfOneCondition(t *testing.T) {
	fine, bad := result(healthcheck.True, "Fine", ""), result(healthcheck.False, "Broken", "")
	later := &healthcheck.LaterError{After: time.Minute}
	first, other := fine, says(fine, nil)
	var put error
	f := inMemory(t,
		condition("First", func() (healthcheck.Result, error) { return first, put }),
		condition("Other", func() (healthcheck.Result, error) { return other() }))
	f.reconcile(t)
	first, put, other = bad, later, says(bad, nil)
	if got := f.reconcile(t).RequeueAfter; got != time.Minute {
		t.Errorf("it is looked at again after %s", got)
	}
	if diff := cmp.Diff(map[string]healthcheck.Status{"First": healthcheck.True, "Other": healthcheck.False}, f.kept()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	other = says(fine, errors.New("broken"))
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil || strings.Contains(err.Error(), later.Error()) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(map[string]healthcheck.Status{"First": healthcheck.True, "Other": healthcheck.Unknown}, f.kept()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	// The back-off would eventually be longer.
	f.MinInterval = time.Millisecond
	later.After = 2 * time.Millisecond
	if got := f.reconcile(t).RequeueAfter; got != later.After {
		t.Errorf("it is looked at again after %s", got)
	}
	put, other = nil, says(fine, nil)
	f.reconcile(t)
	if diff := cmp.Diff(map[string]healthcheck.Status{"First": healthcheck.False, "Other": healthcheck.True}, f.kept()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
