package healthcheck

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSummaries: the message is that of the worst results, or of the Summary.
func TestSummaries(t *testing.T) {
	fine := Result{Status: True, Reason: "Fine"}
	bad := Result{Status: False, Reason: "Overheated", Message: "CPU is too hot."}
	worse := Result{Status: Unknown, Reason: "CheckFailed", Message: "disk cannot be read"}
	rolling := Result{Status: Progressing, Reason: "RollingOut", Message: "2 of 3", Deadline: testNow.Add(time.Hour)}
	skipped := Result{Status: Skipped, Reason: "NoDisk"}
	reasons := func(results []NamedResult, merged Result) string {
		text := string(merged.Status)
		for _, r := range results {
			text += " " + r.Reason
		}
		return text
	}
	tests := map[string]struct {
		results        []Result
		plain, reasons string
	}{
		"healthy":          {[]Result{fine, fine}, "", "True Fine Fine"},
		"one was skipped":  {[]Result{fine, skipped}, "", "True Fine NoDisk"},
		"one is bad":       {[]Result{fine, bad}, "CPU is too hot.", "False Fine Overheated"},
		"it takes a while": {[]Result{fine, rolling}, "2 of 3", "Progressing Fine RollingOut"},
		"all at once":      {[]Result{bad, rolling, worse, fine}, "CPU is too hot.", "False Overheated RollingOut CheckFailed Fine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for want, summary := range map[string]Summary{tt.plain: nil, tt.reasons: reasons} {
				c := ConditionChecks[string]{Summary: summary, Checks: make([]NamedCheck[string], len(tt.results))}
				if diff := cmp.Diff(want, conclude(testNow, c, tt.results, nil).Message); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestSkipped: it is neither a pass nor a failure.
func TestSkipped(t *testing.T) {
	answers := func(r Result) NamedCheck[string] {
		return NamedCheck[string]{Name: "c", Check: CheckFunc[string](func(context.Context, Input[string]) (Result, error) { return r, nil })}
	}
	fine, skipped := answers(Result{Status: True, Reason: "Fine"}), answers(Result{Status: Skipped, Reason: "NoDisk", RecheckAt: testNow.Add(time.Hour)})
	tests := map[string]struct {
		checks []NamedCheck[string]
		stored []Condition
		want   plan
	}{
		"beside a pass": {
			[]NamedCheck[string]{fine, skipped}, []Condition{{Type: "Ready", Status: True, Reason: "Fine", LastTransitionTime: testNow}},
			plan{apply: []Condition{{Type: "Ready", Status: True, Reason: "Fine", LastTransitionTime: testNow}}, recheckAt: testNow.Add(time.Hour)},
		},
		"all of them": {[]NamedCheck[string]{skipped, skipped}, nil, plan{recheckAt: testNow.Add(time.Hour)}},
		"all of them, and there is a condition": {
			[]NamedCheck[string]{skipped}, []Condition{{Type: "Ready", Status: True}},
			plan{remove: []string{"Ready"}, transitions: []Transition{{From: Condition{Type: "Ready", Status: True}}}, recheckAt: testNow.Add(time.Hour)},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := bare(time.Minute).checkCondition(t.Context(), ConditionChecks[string]{Type: "Ready", Checks: tt.checks}, nil)
			got := decide([]outcome{out}, tt.stored, nil, func(c Condition) Condition { return c }, 0, testNow)
			got.kept = nil
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(plan{})); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}
