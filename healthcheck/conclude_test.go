package healthcheck_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Rules other than Merge's: they see each result by name, and their result is stored.
func TestConcludeHasTheLastWord(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.False, Reason: "Broken", Message: "It is broken"})
	f.Conditions[0].Summary = func([]healthcheck.NamedResult, healthcheck.Result) string { return "in words of its own" }
	judged := false
	f.Conditions[0].Conclude = func(found healthcheck.Findings) healthcheck.Result {
		if len(found.Results) != 1 || found.Results[0].Name != "answer" || found.Results[0].Reason != "Broken" {
			t.Errorf("results are %+v", found.Results)
		}
		if !found.Now.Equal(now) || (found.Current != nil) != judged {
			t.Errorf("it is about %+v at %s", found.Current, found.Now)
		}
		judged = true
		found.Merged.Status, found.Merged.Reason = healthcheck.Unknown, "NobodyKnows"
		return found.Merged
	}
	f.reconcile(t)
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" || c.Reason != "NobodyKnows" || c.Message != "in words of its own" {
		t.Errorf("condition is %+v", c)
	}
}

// An undefined status is not a pass.
func TestConcludeKeepsToTheClosedSet(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.True, Reason: "Fits"})
	f.Conditions[0].Conclude = func(healthcheck.Findings) healthcheck.Result {
		return healthcheck.Result{Status: "Splendid"}
	}
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" || c.Reason != healthcheck.ReasonInvalidResult {
		t.Errorf("condition is %+v", c)
	}
}

// TestConclusionOfThePast: times in a conclusion are treated as in a check's result. A past RecheckAt does not cause endless
// rechecks, and at its deadline the result is False.
func TestConclusionOfThePast(t *testing.T) {
	for name, tt := range map[string]struct {
		said healthcheck.Result
		want healthcheck.Status
	}{
		"recheck":  {healthcheck.Result{Status: healthcheck.True, Reason: "Fits", RecheckAt: in(-time.Second)}, healthcheck.True},
		"skipped":  {healthcheck.Result{Status: healthcheck.Skipped, RecheckAt: in(-time.Second)}, ""},
		"deadline": {healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Deadline: in(-time.Second)}, healthcheck.False},
		"no end":   {healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving"}, healthcheck.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			c := condition("Probed", says(result(healthcheck.True, "Fits", ""), nil))
			c.Conclude = func(healthcheck.Findings) healthcheck.Result { return tt.said }
			f := inMemory(t, c)
			if again := f.reconcile(t).RequeueAfter; again != 0 {
				t.Errorf("it is looked at again after %s, and nothing is to come", again)
			}
			if got := f.kept()["Probed"]; got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}
