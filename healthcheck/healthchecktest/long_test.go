package healthchecktest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestFortnight: a fortnight with a probe, and with a target that is polled, takes few looks.
func TestFortnight(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	registration := shops(checks.HTTP("answers", func(*Shop) string { return server.URL }, checks.HTTPProbe{}))
	polled := 0
	remote := check(func(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		polled++
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}, nil
	})
	remote.Name, remote.Needs = "remote", healthcheck.NeedsTarget
	registration.Conditions = append(registration.Conditions, healthcheck.NewCondition("Remote", remote))
	var kit *healthchecktest.Kit[*Shop]
	registration.Targets = healthcheck.TargetsFunc[*Shop](func(context.Context, *Shop) (client.Reader, error) { return kit.Client, nil })
	kit = healthchecktest.New(t, registration, books(), backend(2))
	kit.Advance(14 * 24 * time.Hour)
	if asked < 14*6 || asked > 300 || polled < 14*6 || polled > 300 {
		t.Errorf("it was asked %d times, and the target %d times, want about one in four hours", asked, polled)
	}
}

// TestChangesAreSeenInTime, however long nothing has changed before: the first look of an Advance comes after the usual time,
// the last one before its end, and what a result names is exact.
func TestChangesAreSeenInTime(t *testing.T) {
	status, runs := healthcheck.True, []time.Duration(nil)
	probe := check(func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		runs = append(runs, in.Now.Sub(healthchecktest.Start))
		return healthcheck.Result{Status: status, Reason: "Found"}, nil
	})
	probe.Interval = 30 * time.Second
	renewal := healthchecktest.Start.Add(100*time.Hour + 7*time.Second)
	certificate := check(func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		if in.Now.Before(renewal) {
			return healthcheck.Result{Status: healthcheck.True, Reason: "Valid", RecheckAt: renewal}, nil
		}
		return healthcheck.Result{Status: healthcheck.False, Reason: "Expired"}, nil
	})
	registration := shops(probe)
	registration.Conditions = append(registration.Conditions, healthcheck.NewCondition("Valid", certificate))
	kit := healthchecktest.New(t, registration, books(), backend(2))
	kit.Advance(200 * time.Hour)
	last := runs[len(runs)-1]
	if 200*time.Hour-last > 30*time.Second {
		t.Errorf("the last probe was after %s", last)
	}
	status = healthcheck.False
	kit.Advance(30 * time.Second)
	seen := map[string]time.Duration{}
	for _, transition := range kit.Transitions() {
		if transition.To.Status == healthcheck.False {
			seen[transition.To.Type] = transition.At.Sub(healthchecktest.Start)
		}
	}
	if seen["Valid"] != 100*time.Hour+7*time.Second || seen["Upgraded"] > 200*time.Hour+30*time.Second || seen["Upgraded"] == 0 {
		t.Errorf("changes were seen after %v", seen)
	}
}
