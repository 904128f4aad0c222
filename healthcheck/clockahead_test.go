package healthcheck

import (
	"testing"
	"time"
)

// TestClockOfAnotherManagerWasAhead: the last leader's clock was an hour ahead. Its clocks must not delay verdicts by that hour.
func TestClockOfAnotherManagerWasAhead(t *testing.T) {
	now := testNow.Truncate(time.Second)
	// A progress that the last leader began a moment ago, by its clock.
	clocks := []Progress{{Condition: "Ready", Check: "c", Cause: "a", Since: now.Add(time.Hour)}}
	for elapsed := time.Duration(0); elapsed < 10*time.Minute; elapsed += time.Minute {
		var r Result
		if r, clocks = date(clocks, "Ready", "c", rolling("a"), now.Add(elapsed)); r.At(now.Add(elapsed)).Status == False {
			break
		} else if elapsed > 2*time.Minute {
			t.Errorf("after %s, a progress of one minute has a deadline in %s", elapsed, r.Deadline.Sub(now.Add(elapsed)))
			break
		}
	}
	d := Damping{Failures: 3, Interval: 10 * time.Second}
	counted := []Progress{{Condition: "Ready", Cause: string(False), Since: now.Add(time.Hour), Seen: 1}}
	for elapsed := time.Duration(0); ; elapsed += 10 * time.Second {
		var r Result
		if r, counted = d.damp(counted, "Ready", &Condition{Status: True}, Result{Status: False}, now.Add(elapsed)); r.Status == False {
			break
		} else if elapsed > time.Minute {
			t.Errorf("after %s of failures, the condition is still True; the engine looks again in %s", elapsed, r.RecheckAt.Sub(now.Add(elapsed)))
			break
		}
	}
}
