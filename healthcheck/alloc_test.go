package healthcheck

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/expect"
)

// Sinks keep the compiler from optimizing a measured call away.
var (
	resultSink   Result
	progressSink []Progress
	planSink     plan
)

var fine = Result{Status: True, Reason: "Fine"}

// TestVerdictOnHealthyAllocatesNothing: processing healthy results allocates nothing, also with several checks.
func TestVerdictOnHealthyAllocatesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		checks  ConditionChecks[struct{}]
		results []Result
		clocks  []Progress
	}{
		"one check":         {results: []Result{fine}},
		"three checks":      {results: []Result{fine, fine, fine}},
		"one is skipped":    {results: []Result{fine, {Status: Skipped, Reason: "NotHere"}, fine}},
		"to be seen later":  {results: []Result{fine, {Status: True, Reason: "Fine", RecheckAt: testNow.Add(time.Minute)}}},
		"a clock has ended": {results: []Result{fine, fine}, clocks: []Progress{since("RollingOut", 20)}},
	} {
		t.Run(name, func(t *testing.T) {
			expect.NoAllocation(t, func() {
				for i := range tt.results {
					tt.results[i], progressSink = date(tt.clocks, "Ready", "c", tt.results[i], testNow)
				}
				resultSink = conclude(testNow, tt.checks, tt.results, nil)
			})
		})
	}
}

func BenchmarkConclude(b *testing.B) {
	bad := Result{Status: False, Reason: "Broken", Message: "disk is full", Codes: []string{"ERR_DISK"}}
	slow := Result{Status: Progressing, Reason: "RollingOut", Message: "2 of 3", Deadline: testNow.Add(time.Minute)}
	for name, results := range map[string][]Result{
		"one healthy": {fine}, "three healthy": {fine, fine, fine}, "one of three progresses": {fine, slow, fine}, "two of three fail": {bad, fine, bad},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resultSink = conclude(testNow, ConditionChecks[struct{}]{}, results, nil)
			}
		})
	}
}

func BenchmarkProgress(b *testing.B) {
	clocks := []Progress{since("a", 20), {Condition: "Ready", Check: "d", Cause: "a", Since: ago(20)}}
	for name, bb := range map[string]struct {
		result Result
		clocks []Progress
	}{
		"passes": {fine, nil}, "passes again": {fine, clocks}, "begins": {rolling("a"), nil}, "goes on": {rolling("a"), clocks},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resultSink, progressSink = date(bb.clocks, "Ready", "c", bb.result, testNow)
			}
		})
	}
}

// BenchmarkPlan compares findings with what is stored, if nothing and if everything has changed.
func BenchmarkPlan(b *testing.B) {
	asIs := func(c Condition) Condition { return c }
	outcomes := []outcome{{conditionType: "Ready", applicability: Applies, result: fine}}
	stored := []Condition{{Type: "Ready", Status: True, Reason: "Fine", ObservedGeneration: 1, LastTransitionTime: ago(20)}}
	for name, current := range map[string][]Condition{"unchanged": stored, "new": nil} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				planSink = decide(outcomes, current, nil, asIs, 1, testNow)
			}
		})
	}
}
