package ladder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestReplacementRef: a record claims the machine that it waits for, and gives that up at its end unless that one has failed.
func TestReplacementRef(t *testing.T) {
	ref := &v1alpha1.RemediationReference{Name: "md-0-new-1"}
	is := func(health Health, since time.Time, gone bool) func(*Facts) {
		return successorIs(Successor{Name: "md-0-new", Health: health, HealthySince: since, Gone: gone, Record: ref})
	}
	claimed := func(f *Facts) { f.Record.Status.ReplacementRef = ref }
	for name, tt := range map[string]struct {
		facts Facts
		want  *v1alpha1.RemediationReference
	}{
		"it comes":              {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, is(Undecided, time.Time{}, false)), ref},
		"it is healthy":         {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, is(Healthy, noon, false)), ref},
		"it has stayed healthy": {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, claimed, is(Healthy, noon.Add(-time.Hour), false)), nil},
		"it is sick":            {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, claimed, is(Sick, time.Time{}, false)), ref},
		"it is gone":            {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow, claimed, is(Undecided, time.Time{}, true)), nil},
		"it comes too late":     {with(plan(replace()), works("replace", 24*time.Hour), begun(24*time.Hour), goneNow, claimed, is(Undecided, time.Time{}, false)), nil},
		"none comes":            {with(plan(replace()), works("replace", time.Minute), begun(time.Minute), goneNow), nil},
	} {
		d := Decide(tt.facts, noon)
		if diff := cmp.Diff(tt.want, d.Status.ReplacementRef); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
