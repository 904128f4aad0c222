package healthcheck_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// anyResult draws results of all kinds, including invalid ones, with times close to now.
func anyResult() *rapid.Generator[healthcheck.Result] {
	statuses := []healthcheck.Status{healthcheck.True, healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.Skipped, "", "Fine"}
	return rapid.Custom(func(t *rapid.T) healthcheck.Result {
		return healthcheck.Result{
			Status:    rapid.SampledFrom(statuses).Draw(t, "status"),
			Reason:    rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "reason"),
			Message:   rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "message"),
			Codes:     rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3"}), 0, 3).Draw(t, "codes"),
			Overdue:   rapid.SampledFrom([]string{"", "Late"}).Draw(t, "overdue"),
			Deadline:  anyTime().Draw(t, "deadline"),
			RecheckAt: anyTime().Draw(t, "recheckAt"),
		}
	})
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.SampledFrom([]time.Time{{}, in(-time.Hour), in(-1), now, in(1), in(time.Hour)})
}

// TestMergeProperties: they hold for any number of results of any kind.
func TestMergeProperties(t *testing.T) {
	properties := map[string]func(t *rapid.T, given []healthcheck.Result, merged healthcheck.Result){
		"the order decides about words only": func(t *rapid.T, given []healthcheck.Result, merged healthcheck.Result) {
			other := healthcheck.Merge(now, rapid.Permutation(given).Draw(t, "permuted")...)
			other.Reason, other.Message, other.Overdue = merged.Reason, merged.Message, merged.Overdue
			if diff := cmp.Diff(merged, other); diff != "" {
				t.Fatalf("in another order (-one +other):\n%s", diff)
			}
		},
		"nothing is healthy by omission": func(t *rapid.T, given []healthcheck.Result, merged healthcheck.Result) {
			passed := func(r healthcheck.Result) bool { return r.Status == healthcheck.True }
			failed := func(r healthcheck.Result) bool {
				return r.Status != healthcheck.True && r.Status != healthcheck.Skipped
			}
			healthy := slices.ContainsFunc(given, passed) && !slices.ContainsFunc(given, failed)
			if (merged.Status == healthcheck.True) != healthy {
				t.Fatalf("status is %s", merged.Status)
			}
		},
		"progressing past its deadline is false": func(t *rapid.T, given []healthcheck.Result, merged healthcheck.Result) {
			late := slices.ContainsFunc(given, func(r healthcheck.Result) bool {
				return r.Status == healthcheck.Progressing && !r.Deadline.IsZero() && !now.Before(r.Deadline)
			})
			if late && merged.Status != healthcheck.False {
				t.Fatalf("status is %s", merged.Status)
			}
		},
		"the answer is one of the closed set": func(t *rapid.T, _ []healthcheck.Result, merged healthcheck.Result) {
			if !merged.Status.Valid() || (merged.Status == healthcheck.Progressing && !merged.Deadline.After(now)) {
				t.Fatalf("got %+v", merged)
			}
		},
		"the next change is to come": func(t *rapid.T, _ []healthcheck.Result, merged healthcheck.Result) {
			if next := merged.NextChange(); !next.IsZero() && !next.After(now) {
				t.Fatalf("next change at %v, now is %v", next, now)
			}
		},
		"past its deadline it has the reason of the one that is late": func(t *rapid.T, given []healthcheck.Result, merged healthcheck.Result) {
			if merged.Status != healthcheck.Progressing {
				return
			}
			for _, later := range []time.Time{merged.Deadline.Add(-1), merged.Deadline} {
				read, again := merged.At(later), healthcheck.Merge(later, given...)
				if read.Status != again.Status || read.Reason != again.Reason {
					t.Fatalf("at %s it is %s %s, merged then it is %s %s", later, read.Status, read.Reason, again.Status, again.Reason)
				}
			}
		},
		"merging a merged result changes nothing": func(t *rapid.T, _ []healthcheck.Result, merged healthcheck.Result) {
			if diff := cmp.Diff(merged, healthcheck.Merge(now, merged)); diff != "" {
				t.Fatalf("merged again (-once +twice):\n%s", diff)
			}
		},
	}
	for name, property := range properties {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			given := rapid.SliceOfN(anyResult(), 0, 5).Draw(t, "results")
			property(t, given, healthcheck.Merge(now, given...))
		}))
	}
}

// TestMergeIsPure: Merge must not change results, because checks may keep what they
// returned.
func TestMergeIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOfN(anyResult(), 0, 5).Draw(t, "results")
		before := slices.Clone(given)
		for i := range before {
			before[i].Codes = slices.Clone(given[i].Codes)
		}
		first := healthcheck.Merge(now, given...)
		if diff := cmp.Diff(before, given); diff != "" {
			t.Fatalf("arguments were changed (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(first, healthcheck.Merge(now, given...)); diff != "" {
			t.Fatalf("text is not stable (-first +second):\n%s", diff)
		}
	})
}
