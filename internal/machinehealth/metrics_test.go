package machinehealth

import (
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// observed returns how many delays were measured, and their sum in seconds.
func observed(t *testing.T, metric prometheus.Metric) (uint64, float64) {
	t.Helper()
	var read dto.Metric
	if err := metric.Write(&read); err != nil {
		t.Fatal(err)
	}
	return read.Histogram.GetSampleCount(), read.Histogram.GetSampleSum()
}

func TestDetectionDelay(t *testing.T) {
	now := build.Epoch
	late := func(from healthcheck.Status, deadline time.Time) healthcheck.Transition {
		return healthcheck.Transition{
			From: healthcheck.Condition{Status: from}, To: healthcheck.Condition{Status: healthcheck.False},
			Result: healthcheck.Result{Deadline: deadline}, At: now,
		}
	}
	unread := func(given healthcheck.Transition) healthcheck.Transition {
		given.From.Reason = verdict.ReasonNodeUnavailable
		return given
	}
	tests := map[string]struct {
		given   healthcheck.Transition
		count   uint64
		seconds float64
	}{
		"late":                       {late(healthcheck.Unknown, now.Add(-2*time.Second)), 1, 2},
		"clocks differ a little":     {late(healthcheck.True, now.Add(time.Second)), 1, 0},
		"no verdict before":          {late("", now.Add(-time.Hour)), 0, 0},
		"nobody knows since when":    {late(healthcheck.True, time.Time{}), 0, 0},
		"a moment that was observed": {late(healthcheck.True, now), 1, 0},
		"nobody could look":          {unread(late(healthcheck.Unknown, now.Add(-time.Hour))), 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			count, sum := observed(t, detectionDelay)
			measureDelay(tt.given)
			afterwards, total := observed(t, detectionDelay)
			if afterwards-count != tt.count || differs(total-sum, tt.seconds) {
				t.Errorf("measured %d delays of %v s, want %d of %v s", afterwards-count, total-sum, tt.count, tt.seconds)
			}
		})
	}
}

// differs compares sums, ignoring rounding.
func differs(a, b float64) bool { return math.Abs(a-b) > 1e-6 }

// TestDelayOfAStoredVerdict: the whole controller measures the delay once.
func TestDelayOfAStoredVerdict(t *testing.T) {
	f := newHarness(t)
	f.reconcile()
	f.breakNode()
	f.reconcile()
	count, sum := observed(t, detectionDelay)
	f.clock.SetTime(f.start.Add(5*time.Minute + 3*time.Second))
	f.reconcile()
	f.reconcile()
	afterwards, total := observed(t, detectionDelay)
	if afterwards-count != 1 || differs(total-sum, 3) {
		t.Errorf("measured %d delays of %v s, want one of 3 s", afterwards-count, total-sum)
	}
}
