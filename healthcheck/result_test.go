package healthcheck_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// now is the moment at which everything in the pure tests is judged.
var now = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

func in(d time.Duration) time.Time { return now.Add(d) }

func TestResultAt(t *testing.T) {
	progressing := healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Message: "2 of 3", Codes: []string{"A"}}
	tests := map[string]struct{ given, want healthcheck.Result }{
		"a healthy result stays as it is": {
			healthcheck.Result{Status: healthcheck.True, Reason: "Fine"},
			healthcheck.Result{Status: healthcheck.True, Reason: "Fine"},
		},
		"the deadline of a result that is not progressing means nothing": {
			healthcheck.Result{Status: healthcheck.Unknown, Reason: "R", Deadline: in(-1)},
			healthcheck.Result{Status: healthcheck.Unknown, Reason: "R", Deadline: in(-1)},
		},
		"progressing before its deadline":                         {withDeadline(progressing, in(1)), withDeadline(progressing, in(1))},
		"progressing at its deadline":                             {withDeadline(progressing, now), failed(withDeadline(progressing, now))},
		"progressing past its deadline":                           {withDeadline(progressing, in(-1)), failed(withDeadline(progressing, in(-1)))},
		"with a reason for the time past its deadline, before it": {overdue(withDeadline(progressing, in(1))), overdue(withDeadline(progressing, in(1)))},
		"with a reason for the time past its deadline": {
			overdue(withDeadline(progressing, now)),
			healthcheck.Result{Status: healthcheck.False, Reason: "Stuck", Message: "2 of 3", Codes: []string{"A"}, Deadline: now},
		},
		"with one that it does not need": {
			healthcheck.Result{Status: healthcheck.True, Reason: "Fine", Overdue: "Stuck"},
			healthcheck.Result{Status: healthcheck.True, Reason: "Fine"},
		},
		"progressing without a deadline":    {progressing, invalid("a check returned Progressing without a deadline")},
		"the zero value":                    {healthcheck.Result{}, invalid(`a check returned the unknown status ""`)},
		"a status outside the closed set":   {healthcheck.Result{Status: "Fine"}, invalid(`a check returned the unknown status "Fine"`)},
		"a recheck time to come is kept":    {withRecheck(in(1)), withRecheck(in(1))},
		"a recheck time that is now is due": {withRecheck(now), withRecheck(time.Time{})},
		"a recheck time that has passed":    {withRecheck(in(-1)), withRecheck(time.Time{})},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.given.At(now)); diff != "" {
				t.Errorf("At (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNextChange(t *testing.T) {
	result := func(status healthcheck.Status, deadline, recheck time.Time) healthcheck.Result {
		return healthcheck.Result{Status: status, Deadline: deadline, RecheckAt: recheck}
	}
	tests := map[string]struct {
		given healthcheck.Result
		want  time.Time
	}{
		"never":                                  {result(healthcheck.True, time.Time{}, time.Time{}), time.Time{}},
		"the recheck time":                       {result(healthcheck.True, time.Time{}, in(2)), in(2)},
		"the deadline of False is in the past":   {result(healthcheck.False, in(-1), time.Time{}), time.Time{}},
		"the deadline of Progressing":            {result(healthcheck.Progressing, in(3), time.Time{}), in(3)},
		"a recheck before the deadline":          {result(healthcheck.Progressing, in(3), in(2)), in(2)},
		"a recheck after the deadline is no use": {result(healthcheck.Progressing, in(3), in(4)), in(3)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.given.NextChange(); !got.Equal(tt.want) {
				t.Errorf("NextChange is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLatest(t *testing.T) {
	never := time.Time{}
	for name, tt := range map[string]struct {
		times []time.Time
		want  time.Time
	}{
		"none":                 {nil, never},
		"only times not known": {[]time.Time{never, never}, never},
		"one is not known":     {[]time.Time{in(1), never}, in(1)},
		"in any order":         {[]time.Time{in(1), in(3), in(2)}, in(3)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := healthcheck.Latest(tt.times...); !got.Equal(tt.want) {
				t.Errorf("Latest is %v, want %v", got, tt.want)
			}
		})
	}
}

func withDeadline(r healthcheck.Result, deadline time.Time) healthcheck.Result {
	r.Deadline = deadline
	return r
}

func overdue(r healthcheck.Result) healthcheck.Result {
	r.Overdue = "Stuck"
	return r
}

func withRecheck(at time.Time) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.True, Reason: "R", RecheckAt: at}
}

func failed(r healthcheck.Result) healthcheck.Result {
	r.Status, r.Reason = healthcheck.False, healthcheck.ReasonDeadlineExceeded
	return r
}

func invalid(message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonInvalidResult, Message: message}
}
