package healthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestDamping: a condition changes after enough equal findings in a row.
func TestDamping(t *testing.T) {
	three := Damping{Failures: 3, Successes: 2, Interval: 10 * time.Second}
	was := func(status Status) *Condition { return &Condition{Status: status, Reason: "Was"} }
	seen := func(status Status, times, seconds int) []Progress {
		return []Progress{{Condition: "Ready", Cause: string(status), Since: ago(seconds), Seen: times}}
	}
	bad, good := Result{Status: False, Reason: "Bad"}, Result{Status: True, Reason: "Good"}
	tests := map[string]struct {
		damping Damping
		clocks  []Progress
		current *Condition
		result  Result
		reason  string
		counted []Progress
		recheck time.Time
	}{
		"off":                        {Damping{}, nil, was(True), bad, "Bad", nil, time.Time{}},
		"the first verdict":          {three, nil, nil, bad, "Bad", nil, time.Time{}},
		"the first failure":          {three, nil, was(True), bad, "Was", seen(False, 1, 0), ago(-10)},
		"too soon to be counted":     {three, seen(False, 1, 5), was(True), bad, "Was", seen(False, 1, 5), ago(-5)},
		"the second failure":         {three, seen(False, 1, 10), was(True), bad, "Was", seen(False, 2, 0), ago(-10)},
		"the third failure":          {three, seen(False, 2, 10), was(True), bad, "Bad", nil, time.Time{}},
		"it was well in between":     {three, seen(False, 2, 10), was(True), good, "Good", nil, time.Time{}},
		"the first success":          {three, nil, was(False), good, "Was", seen(True, 1, 0), ago(-10)},
		"the second success":         {three, seen(True, 1, 30), was(False), good, "Good", nil, time.Time{}},
		"it cannot be told":          {three, seen(False, 2, 5), was(True), Result{Status: Unknown, Reason: "Why"}, "Why", nil, time.Time{}},
		"from what cannot be told":   {three, nil, was(Unknown), bad, "Bad", nil, time.Time{}},
		"another reason for failing": {three, nil, was(False), bad, "Bad", nil, time.Time{}},
		"the default interval":       {Damping{Failures: 2}, nil, was(True), bad, "Was", seen(False, 1, 0), ago(-10)},
		"something else comes sooner": {
			three, nil, was(True), Result{Status: False, Reason: "Bad", RecheckAt: ago(-3)}, "Was", seen(False, 1, 0), ago(-3),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, counted := tt.damping.damp(tt.clocks, "Ready", tt.current, tt.result, testNow)
			if got.Reason != tt.reason || !got.RecheckAt.Equal(tt.recheck) {
				t.Errorf("got %+v, want reason %s and to look again at %v", got, tt.reason, tt.recheck)
			}
			if diff := cmp.Diff(tt.counted, counted, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDampingTurnsInTheEnd: a finding that stays the same is stored after exactly as many intervals as required.
func TestDampingTurnsInTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Damping{Failures: rapid.IntRange(1, 5).Draw(t, "failures"), Interval: 10 * time.Second}
		current, now := &Condition{Status: True}, testNow.Truncate(time.Second)
		var clocks []Progress
		for looks := 1; ; looks++ {
			got, counted := d.damp(clocks, "Ready", current, Result{Status: False}, now)
			if got.Status == False {
				if waited := now.Sub(testNow.Truncate(time.Second)); waited < time.Duration(d.Failures-1)*d.Interval {
					t.Fatalf("it turned after %s and %d looks", waited, looks)
				}
				return
			}
			if looks > 100 {
				t.Fatal("it does not turn")
			}
			clocks = counted
			now = now.Add(time.Duration(rapid.IntRange(1, 15).Draw(t, "seconds")) * time.Second)
		}
	})
}
