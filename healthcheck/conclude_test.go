package healthcheck_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Rules that are not Merge's: they see each result by name, and what they say is stored.
func TestConcludeHasTheLastWord(t *testing.T) {
	f := newFixture(t, healthcheck.Result{Status: healthcheck.False, Reason: "Broken", Message: "It is broken"})
	f.Conditions[0].Summary = func([]healthcheck.NamedResult, healthcheck.Result) string { return "in words of its own" }
	f.Conditions[0].Conclude = func(results []healthcheck.NamedResult, merged healthcheck.Result) healthcheck.Result {
		if len(results) != 1 || results[0].Name != "answer" || results[0].Reason != "Broken" {
			t.Errorf("results are %+v", results)
		}
		merged.Status, merged.Reason = healthcheck.Unknown, "NobodyKnows"
		return merged
	}
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" || c.Reason != "NobodyKnows" || c.Message != "in words of its own" {
		t.Errorf("condition is %+v", c)
	}
}

// A conclusion outside of the closed set is no pass.
func TestConcludeKeepsToTheClosedSet(t *testing.T) {
	f := newFixture(t, healthcheck.Result{Status: healthcheck.True, Reason: "Fits"})
	f.Conditions[0].Conclude = func([]healthcheck.NamedResult, healthcheck.Result) healthcheck.Result {
		return healthcheck.Result{Status: "Splendid"}
	}
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" || c.Reason != healthcheck.ReasonInvalidResult {
		t.Errorf("condition is %+v", c)
	}
}
