package healthchecktest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestKitJudgesWhatAServerStores: conditions have the words that a server would store, and Sound finds what it would change.
func TestKitJudgesWhatAServerStores(t *testing.T) {
	for name, tt := range map[string]struct {
		result healthcheck.Result
		stored string
		said   string
	}{
		"fine":             {healthcheck.Result{Status: healthcheck.False, Reason: "Closed", Message: "It is closed"}, "Closed", ""},
		"spaces":           {healthcheck.Result{Status: healthcheck.False, Reason: "has some spaces"}, "has_some_spaces", `gives the reason "has some spaces", which would be stored as "has_some_spaces"`},
		"no reason":        {healthcheck.Result{Status: healthcheck.False}, "NotGiven", `gives the reason "", which would be stored as "NotGiven"`},
		"a long reason":    {healthcheck.Result{Status: healthcheck.False, Reason: strings.Repeat("R", 2000)}, strings.Repeat("R", 1024), "gives the reason"},
		"a long message":   {healthcheck.Result{Status: healthcheck.False, Reason: "A", Message: strings.Repeat("m", 40000)}, "A", "gives a message of 40000 bytes"},
		"a broken message": {healthcheck.Result{Status: healthcheck.False, Reason: "A", Message: "b\xffd"}, "A", "gives a message of 3 bytes"},
		"a broken overdue": {healthcheck.Result{Status: healthcheck.Progressing, Reason: "A", Within: time.Minute, Overdue: "is over due"}, "A", `gives the reason "is over due"`},
		"skipped":          {healthcheck.Result{Status: healthcheck.Skipped}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			registration := shops(check(func(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) { return tt.result, nil }))
			registration.Conditions[0].Checks = registration.Conditions[0].Checks[1:]
			kit := healthchecktest.New(t, registration, books())
			kit.Run()
			if got := kit.Condition(books(), "Upgraded"); got.Reason != tt.stored || len(got.Message) > 32768 {
				t.Errorf("the reason is %q, the message has %d bytes", got.Reason, len(got.Message))
			}
			said := strings.Join(caught(func(r *recorder) {
				kit := healthchecktest.New(r, registration, books())
				kit.Run()
				kit.Sound()
			}), "; ")
			if (said == "") != (tt.said == "") || !strings.Contains(said, tt.said) {
				t.Errorf("Sound says %q, want %q", said, tt.said)
			}
		})
	}
}
