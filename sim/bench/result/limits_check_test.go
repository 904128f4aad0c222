package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func figure(m Measure, f Fleet, s Subject, values ...float64) Figure {
	return Figure{Measure: m, Fleet: f, Subject: s, Values: values}
}

var measured = []Figure{
	figure(VerdictP99, Small, Sickbay, 0.2, 0.1, 0.9),
	figure(VerdictP99, Small, Upstream, 3, 4, 5),
	figure(VerdictP99, Large, Sickbay, 0.4),
	figure(HangVerdict(1), Small, Sickbay, 0.4),
	figure(IdleWrites, Small, Sickbay, 0, 0, 0),
	figure(IdleWrites, Small, Upstream, 0, 0, 0),
	figure(IdleWrites, Large, Sickbay, 0, 0, 7),
	figure(RemedyWrites, Small, Sickbay, 2),
	figure(RemedyWrites, Small, Upstream, 0),
}

func TestCheck(t *testing.T) {
	tests := map[string]struct {
		quick bool
		limit string
		want  []string
	}{
		"a ratio is kept":            {false, "{measure: verdict-p99, fleet: 1x100, against: {subject: upstream}, most: 1/20, why: so}", nil},
		"a ratio is missed":          {false, "{measure: verdict-p99, fleet: 1x100, against: {subject: upstream}, most: 1/40, why: so}", []string{"verdict-p99 of sickbay at 1x100 is 0.05 times verdict-p99 of upstream at 1x100, and may be 0.025 times that at most."}},
		"another measure, kept":      {false, "{measure: hang-1-verdict, fleet: 1x100, against: {measure: verdict-p99}, most: 2, why: so}", nil},
		"another measure, missed":    {false, "{measure: hang-1-verdict, fleet: 1x100, against: {measure: verdict-p99}, most: 1.9, why: so}", []string{"hang-1-verdict of sickbay at 1x100 is 2 times verdict-p99 of sickbay at 1x100, and may be 1.9 times that at most."}},
		"another fleet, kept":        {false, "{measure: verdict-p99, fleet: 1x10000, against: {fleet: 1x100}, most: 2, why: so}", nil},
		"another fleet, missed":      {false, "{measure: verdict-p99, fleet: 1x10000, against: {fleet: 1x100}, most: 1, why: so}", []string{"verdict-p99 of sickbay at 1x10000 is 2 times verdict-p99 of sickbay at 1x100, and may be 1 times that at most."}},
		"a count is kept":            {false, "{measure: idle-writes, fleet: 1x100, most: 0, why: so}", nil},
		"one round has too many":     {false, "{measure: idle-writes, fleet: any, most: 6, why: so}", []string{"idle-writes of sickbay at 1x10000 is up to 7, and may be 6 at most."}},
		"nothing against nothing":    {false, "{measure: idle-writes, fleet: 1x100, against: {subject: upstream}, most: 1, why: so}", nil},
		"something against nothing":  {false, "{measure: remedy-writes, fleet: any, against: {subject: upstream}, most: 1, why: so}", []string{"remedy-writes of sickbay at 1x100 is 2, while remedy-writes of upstream at 1x100 is 0."}},
		"other is there at one only": {false, "{measure: verdict-p99, fleet: any, against: {subject: upstream}, most: 1, why: so}", []string{"The report has no verdict-p99 of upstream at 1x10000."}},
		"not measured":               {false, "{measure: memory, fleet: 1x100, against: {subject: upstream}, most: 1, why: so}", []string{"The report has no memory of sickbay at 1x100."}},
		"not measured anywhere":      {false, "{measure: memory, fleet: any, against: {subject: upstream}, most: 1, why: so}", []string{"The report has no memory of sickbay at any fleet."}},
		"a short run, missing":       {true, "{measure: storm-writes, fleet: 1x100, most: 1, why: so}", []string{"The report has no storm-writes of sickbay at 1x100."}},
		"not for a short run":        {true, "{measure: storm-writes, fleet: any, most: 1, fullOnly: true, why: so}", nil},
		"in a full run, however":     {false, "{measure: storm-writes, fleet: any, most: 1, fullOnly: true, why: so}", []string{"The report has no storm-writes of sickbay at any fleet."}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			parsed, err := parseLimits([]byte("limits: [" + tt.limit + "]"))
			if err != nil {
				t.Fatal(err)
			}
			got := Check(Report{Quick: tt.quick, Figures: measured}, parsed)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrevious: limits against an earlier version apply only if the report has one.
func TestPrevious(t *testing.T) {
	all, err := parseLimits([]byte("limits: [{measure: handover-p99, fleet: any, against: {subject: previous}, most: 1.3, why: so}]"))
	if err != nil {
		t.Fatal(err)
	}
	now := figure(HandoverP99, Small, Sickbay, 0.2)
	if got := Check(Report{Figures: []Figure{now}}, all); len(got) != 0 {
		t.Errorf("without an earlier version: %q", got)
	}
	got := Check(Report{Figures: []Figure{now, figure(HandoverP99, Small, Previous, 0.1)}}, all)
	want := []string{"handover-p99 of sickbay at 1x100 is 2 times handover-p99 of previous at 1x100, and may be 1.3 times that at most."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
