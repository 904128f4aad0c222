package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// latencyGoal is the limit for the median latency.
const latencyGoal = 250 * time.Millisecond

// goals returns which of our goals are missed.
func goals(f figures) (missed []string) {
	if median := f.quantile(0.5); median >= latencyGoal {
		missed = append(missed, fmt.Sprintf("%d objects: the median from a change to the condition is %s, and not under %s", f.objects, median, latencyGoal))
	}
	if f.writes > 0 {
		missed = append(missed, fmt.Sprintf("%d objects: there are %d writes in the steady state, and not none", f.objects, f.writes))
	}
	return missed
}

// comparison returns where our library is not better than theirs. Absolute times depend on
// the machine; which of the two is faster should not.
func comparison(ours, theirs figures) (missed []string) {
	for _, c := range []struct {
		what         string
		ours, theirs float64
	}{
		{"the processor time of the steady state", ours.steadyCPU.Seconds(), theirs.steadyCPU.Seconds()},
		{"the requests of the steady state", float64(ours.requests), float64(theirs.requests)},
		{"ten times the median from a change to the condition", 10 * ours.quantile(0.5).Seconds(), theirs.quantile(0.5).Seconds()},
	} {
		if c.ours >= c.theirs {
			missed = append(missed, fmt.Sprintf("%s: %.2f, which is not less than the %.2f of the original", c.what, c.ours, c.theirs))
		}
	}
	return missed
}

func TestGoals(t *testing.T) {
	good := figures{latencies: []time.Duration{time.Millisecond}, steadyCPU: time.Second}
	bad := figures{latencies: []time.Duration{latencyGoal}, writes: 1, requests: 1, steadyCPU: 2 * time.Second}
	if missed := append(goals(good), comparison(good, bad)...); len(missed) > 0 {
		t.Errorf("goals that are met are called missed: %s", strings.Join(missed, "; "))
	}
	if missed := goals(bad); len(missed) != 2 {
		t.Errorf("of 2 goals that are missed, %d are told: %s", len(missed), strings.Join(missed, "; "))
	}
	if missed := comparison(bad, bad); len(missed) != 3 {
		t.Errorf("of 3 comparisons that are lost, %d are told: %s", len(missed), strings.Join(missed, "; "))
	}
}

func TestQuantile(t *testing.T) {
	f := figures{latencies: []time.Duration{4, 1, 3, 2}}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.99: 4, 1: 4} {
		if got := f.quantile(q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
}
