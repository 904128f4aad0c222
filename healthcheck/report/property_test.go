package report_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/report"
)

var anyCondition = rapid.Custom(func(t *rapid.T) healthcheck.Condition {
	return healthcheck.Condition{
		Type:               rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "type"),
		Status:             rapid.SampledFrom([]healthcheck.Status{isTrue, isTrue, isTrue, isFalse, unknown, progressing, skipped, "", "Great"}).Draw(t, "status"),
		Reason:             rapid.SampledFrom([]string{"", "R", "S"}).Draw(t, "reason"),
		Message:            rapid.SampledFrom([]string{"", "m", "n"}).Draw(t, "message"),
		Codes:              rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(t, "codes"),
		ObservedGeneration: rapid.Int64Range(0, 2).Draw(t, "observed"),
	}
})

var anySubject = rapid.Custom(func(t *rapid.T) report.Subject {
	s := report.Subject{
		Name:       rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
		Conditions: rapid.SliceOfN(anyCondition, 0, 4).Draw(t, "conditions"),
		Wants:      rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C"}), 0, 2).Draw(t, "wants"),
		Negative:   rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B"}), 0, 1).Draw(t, "negative"),
		Generation: rapid.Int64Range(0, 2).Draw(t, "generation"),
		StaleAfter: time.Duration(rapid.IntRange(0, 2).Draw(t, "after")),
	}
	if ago := rapid.IntRange(-1, 3).Draw(t, "ago"); ago >= 0 {
		s.ConfirmedAt = now.Add(-time.Duration(ago))
	}
	if rapid.IntRange(0, 9).Draw(t, "unreadable") == 0 {
		s.Err = errors.New("no route")
	}
	return s
})

func encoded(t *rapid.T, o report.Overview) string {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + o.RecheckAt.String()
}

// TestOrderDoesNotMatter: neither that of subjects nor that of their conditions. Summarize changes
// nothing.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subjects := rapid.SliceOfN(anySubject, 0, 6).Draw(t, "subjects")
		want := encoded(t, report.Summarize(now, subjects...))
		shuffled := rapid.Permutation(subjects).Draw(t, "shuffled")
		for i := range shuffled {
			shuffled[i].Conditions = rapid.Permutation(shuffled[i].Conditions).Draw(t, "conditions")
			shuffled[i].Wants = rapid.Permutation(shuffled[i].Wants).Draw(t, "wants")
		}
		if diff := cmp.Diff(want, encoded(t, report.Summarize(now, shuffled...))); diff != "" {
			t.Fatalf("another order makes another overview (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(want, encoded(t, report.Summarize(now, subjects...))); diff != "" {
			t.Fatalf("Summarize has changed its arguments (-first +second):\n%s", diff)
		}
	})
}

// TestNothingHidesAFalse: a False that counts makes the overview False, whatever else there is.
func TestNothingHidesAFalse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subjects := append(rapid.SliceOfN(anySubject, 0, 6).Draw(t, "subjects"), subject("broken", condition("Ready", isFalse)))
		if o := report.Summarize(now, rapid.Permutation(subjects).Draw(t, "shuffled")...); o.Status != isFalse {
			t.Fatalf("the whole is %s", o.Status)
		}
	})
}

// TestNothingIsHealthyByOmission: a healthy overview has a True for every required condition.
func TestNothingIsHealthyByOmission(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subjects := rapid.SliceOfN(anySubject, 0, 3).Draw(t, "subjects")
		o := report.Summarize(now, subjects...)
		if o.Healthy() != (o.Status == isTrue) || len(o.Subjects) != len(subjects) {
			t.Fatalf("healthy is %v, status is %s, %d of %d subjects", o.Healthy(), o.Status, len(o.Subjects), len(subjects))
		}
		if !o.Healthy() {
			return
		}
		for _, s := range subjects {
			trueTypes := map[string]bool{}
			for _, c := range s.Conditions {
				trueTypes[c.Type] = trueTypes[c.Type] || c.Status == isTrue
			}
			for _, want := range s.Wants {
				if _, there := trueTypes[want]; !there {
					t.Fatalf("subject %s has no %s", s.Name, want)
				}
			}
			if s.Err != nil || len(s.Conditions) == 0 || (s.StaleAfter > 0 && now.Sub(s.ConfirmedAt) >= s.StaleAfter) {
				t.Fatalf("subject %+v is taken for healthy", s)
			}
		}
	})
}
