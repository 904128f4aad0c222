package checks_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// row is an object and the expected result of a rule.
type row[O any] struct {
	obj  O
	want healthcheck.Result
}

// judge applies a rule to rows.
func judge[O any](t *testing.T, rule checks.Rule[O], rows map[string]row[O]) {
	t.Helper()
	for name, tt := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rule(tt.obj), butLeft); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// butLeft compares results but for what is left to do: TestWhatAdvancesIsNotStuck is about that.
var butLeft = cmpopts.IgnoreFields(healthcheck.Result{}, "Left")

var passes = healthcheck.Result{Status: healthcheck.True, Reason: checks.ReasonHealthy}

func fails(reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.False, Reason: reason, Message: message}
}

func progresses(within time.Duration, reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Progressing, Within: within, Reason: reason, Message: message}
}

func rollsOut(cause, message string) healthcheck.Result {
	r := progresses(checks.RolloutWithin, checks.ReasonRollingOut, message)
	r.Cause = cause
	return r
}

func notObserved(message string) healthcheck.Result {
	return progresses(checks.ObservedWithin, checks.ReasonNotObserved, message)
}
