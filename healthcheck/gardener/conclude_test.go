package gardener

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// With any results of checks: if one did not pass, the condition is not True; an error makes
// it Unknown; and the order of the checks affects only that of texts and codes.
func TestConcluderProperties(t *testing.T) {
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	statuses := []healthcheck.Status{healthcheck.True, healthcheck.False, healthcheck.Unknown, healthcheck.Progressing}
	one := rapid.Custom(func(t *rapid.T) healthcheck.NamedResult {
		return healthcheck.NamedResult{Name: "it", Result: healthcheck.Result{
			Status: rapid.SampledFrom(statuses).Draw(t, "status"), Reason: "Reason", Message: rapid.SampledFrom([]string{"", "a", "b."}).Draw(t, "message"),
			Codes:    rapid.SliceOfN(rapid.SampledFrom([]string{"X", "Y"}), 0, 2).Draw(t, "codes"),
			Deadline: moment.Add(time.Hour), Within: time.Hour,
		}}
	})
	rapid.Check(t, func(t *rapid.T) {
		results := rapid.SliceOfN(one, 1, 5).Draw(t, "results")
		texts := rapid.SampledFrom([]Texts{TextsOfToday, TextsOfTheSeed}).Draw(t, "texts")
		got := concludeAll(texts, moment, results)
		has := func(status healthcheck.Status) bool {
			return slices.ContainsFunc(results, func(r healthcheck.NamedResult) bool { return r.Status == status })
		}
		want := healthcheck.True
		for _, status := range []healthcheck.Status{healthcheck.Progressing, healthcheck.False, healthcheck.Unknown} {
			if has(status) {
				want = status
			}
		}
		if got.Status != want || got.Message == "" || got.Reason == "Reason" {
			t.Fatalf("it is %+v, want %s", got, want)
		}
		other := concludeAll(texts, moment, rapid.Permutation(results).Draw(t, "order"))
		slices.Sort(got.Codes)
		slices.Sort(other.Codes)
		if other.Status != got.Status || other.Reason != got.Reason || len(other.Message) != len(got.Message) || !slices.Equal(other.Codes, got.Codes) {
			t.Fatalf("in another order it is %+v, not %+v", other, got)
		}
	})
}

// concludeAll merges results as the engine does.
func concludeAll(texts Texts, moment time.Time, results []healthcheck.NamedResult) healthcheck.Result {
	plain := make([]healthcheck.Result, len(results))
	for i, r := range results {
		plain[i] = r.Result
	}
	return concluder(texts, "Worker")(healthcheck.Findings{Results: results, Merged: healthcheck.Merge(moment, plain...), Now: moment})
}

// TestProgressComesToRest: a progress with no time is False, and no clock changes that.
func TestProgressComesToRest(t *testing.T) {
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rolling := untilConcluded(healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut"}, moment)
	for name, other := range map[string]healthcheck.Result{
		"beside a pass":    {Status: healthcheck.True, Reason: "Fine"},
		"beside a failure": {Status: healthcheck.False, Reason: "Bad"},
	} {
		t.Run(name, func(t *testing.T) {
			got := concludeAll(TextsOfToday, moment, []healthcheck.NamedResult{{Name: "it", Result: rolling}, {Name: "other", Result: other}})
			if again := got.NextChange(); got.Status != healthcheck.False || !again.IsZero() {
				t.Errorf("it is %s, and to be looked at again at %s", got.Status, again)
			}
		})
	}
}
