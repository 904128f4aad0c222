package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var measured = map[Key][]float64{
	{VerdictP99, Small, Sickbay}:     {0.2, 0.1, 0.9},
	{VerdictP99, Small, Upstream}:    {3, 4, 5},
	{VerdictP99, Large, Sickbay}:     {0.4},
	{HangVerdict(1), Small, Sickbay}: {0.4},
	{IdleWrites, Small, Sickbay}:     {0, 0, 0},
	{IdleWrites, Small, Upstream}:    {0, 0, 0},
	{IdleWrites, Large, Sickbay}:     {0, 0, 7},
	{RemedyWrites, Small, Sickbay}:   {2},
	{RemedyWrites, Small, Upstream}:  {0},
}

func TestCheck(t *testing.T) {
	upstream, verdict := Key{Subject: Upstream}, Key{Measure: VerdictP99}
	tests := map[string]struct {
		quick bool
		limit Limit
		want  []string
	}{
		"a ratio is kept":            {false, Limit{VerdictP99, Small, upstream, 1. / 20, false}, nil},
		"a ratio is missed":          {false, Limit{VerdictP99, Small, upstream, 1. / 40, false}, []string{"verdict-p99 of sickbay at 1x100 is 0.05 times verdict-p99 of upstream at 1x100, and may be 0.025 times that at most."}},
		"another measure, kept":      {false, Limit{HangVerdict(1), Small, verdict, 2, false}, nil},
		"another measure, missed":    {false, Limit{HangVerdict(1), Small, verdict, 1.9, false}, []string{"hang-1-verdict of sickbay at 1x100 is 2 times verdict-p99 of sickbay at 1x100, and may be 1.9 times that at most."}},
		"another fleet, kept":        {false, Limit{VerdictP99, Large, Key{Fleet: Small}, 2, false}, nil},
		"another fleet, missed":      {false, Limit{VerdictP99, Large, Key{Fleet: Small}, 1, false}, []string{"verdict-p99 of sickbay at 1x10000 is 2 times verdict-p99 of sickbay at 1x100, and may be 1 times that at most."}},
		"a count is kept":            {false, Limit{IdleWrites, Small, Key{}, 0, false}, nil},
		"one round has too many":     {false, Limit{IdleWrites, Fleet{}, Key{}, 6, false}, []string{"idle-writes of sickbay at 1x10000 is up to 7, and may be 6 at most."}},
		"nothing against nothing":    {false, Limit{IdleWrites, Small, upstream, 1, false}, nil},
		"something against nothing":  {false, Limit{RemedyWrites, Fleet{}, upstream, 1, false}, []string{"remedy-writes of sickbay at 1x100 is 2, while remedy-writes of upstream at 1x100 is 0."}},
		"other is there at one only": {false, Limit{VerdictP99, Fleet{}, upstream, 1, false}, []string{"The report has no verdict-p99 of upstream at 1x10000."}},
		"not measured":               {false, Limit{Memory, Small, upstream, 1, false}, []string{"The report has no memory of sickbay at 1x100."}},
		"not measured anywhere":      {false, Limit{Memory, Fleet{}, upstream, 1, false}, []string{"The report has no memory of sickbay at any fleet."}},
		"a short run, missing":       {true, Limit{StormWrites, Small, Key{}, 1, false}, []string{"The report has no storm-writes of sickbay at 1x100."}},
		"not for a short run":        {true, Limit{StormWrites, Fleet{}, Key{}, 1, true}, nil},
		"in a full run, however":     {false, Limit{StormWrites, Fleet{}, Key{}, 1, true}, []string{"The report has no storm-writes of sickbay at any fleet."}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			report := Report{About: map[string]string{}, Figures: measured}
			if tt.quick {
				report.SetQuick()
			}
			if diff := cmp.Diff(tt.want, Check(report, []Limit{tt.limit})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrevious: limits against an earlier version apply only if the report has one.
func TestPrevious(t *testing.T) {
	limits := []Limit{{HandoverP99, Fleet{}, Key{Subject: Previous}, 1.3, false}}
	report := Report{Figures: map[Key][]float64{{HandoverP99, Small, Sickbay}: {0.2}}}
	if got := Check(report, limits); len(got) != 0 {
		t.Errorf("without an earlier version: %q", got)
	}
	report.Figures[Key{HandoverP99, Small, Previous}] = []float64{0.1}
	want := []string{"handover-p99 of sickbay at 1x100 is 2 times handover-p99 of previous at 1x100, and may be 1.3 times that at most."}
	if diff := cmp.Diff(want, Check(report, limits)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLess: a report that meets a limit still does if Sickbay gets better or the limit gets wider.
func TestLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.Float64Range(0, 1000)
		value, other, most := drawn.Draw(t, "value"), drawn.Draw(t, "other"), drawn.Draw(t, "most")
		better, wider := rapid.Float64Range(0, value).Draw(t, "better"), rapid.Float64Range(most, 2000).Draw(t, "wider")
		missed := func(value, most float64) int {
			figures := map[Key][]float64{{Memory, Small, Sickbay}: {value}, {Memory, Small, Upstream}: {other}}
			return len(Check(Report{Figures: figures}, []Limit{{Memory, Fleet{}, Key{Subject: Upstream}, most, false}}))
		}
		if was := missed(value, most); missed(better, most) > was || missed(value, wider) > was {
			t.Fatalf("%v against %v is better than %v, or %v wider than %v, and is a miss", better, other, value, wider, most)
		}
	})
}

// TestOurLimits: there is a limit for every goal that is not a time, each once, and only counts go without something to compare with.
func TestOurLimits(t *testing.T) {
	limited := map[Measure]bool{}
	type about struct {
		Measure
		Fleet
		Key
	}
	seen := map[about]bool{}
	for _, limit := range Limits() {
		limited[limit.Measure] = true
		of := about{limit.Measure, limit.Fleet, limit.Against}
		if seen[of] {
			t.Errorf("%+v is there twice", limit)
		}
		seen[of] = true
		switch to := limit.Against; {
		case to == (Key{}) && limit.Measure.Unit() != Count:
			t.Errorf("%+v is not a ratio, and differs from machine to machine", limit)
		case to.Measure != "" && to.Measure.Unit() != limit.Measure.Unit():
			t.Errorf("%+v is against another unit", limit)
		case to != (Key{}) && (to.Measure == limit.Measure || to.Fleet == limit.Fleet && to.Fleet != Fleet{} || to.Subject == Sickbay):
			t.Errorf("%+v names what is the same", limit)
		}
	}
	for _, measure := range []Measure{
		VerdictP99, StormMark, HeartbeatCPU, IdleWrites, RemedyWrites, RemedyRequests, RemedyEvents, HandoverP99, Memory, HangVerdict(1),
	} {
		if !limited[measure] {
			t.Errorf("there is no limit for %s", measure)
		}
	}
}

// TestNothingMeasured: an empty report misses each of our own limits that needs no earlier version.
func TestNothingMeasured(t *testing.T) {
	all, short := 0, 0
	for _, limit := range Limits() {
		if limit.Against.Subject == Previous {
			continue
		}
		all++
		if !limit.FullOnly {
			short++
		}
	}
	report := NewReport()
	full := Check(report, Limits())
	report.SetQuick()
	if quick := Check(report, Limits()); len(full) != all || len(quick) != short || short == 0 {
		t.Errorf("%d limits and %d of short runs, %d and %d sentences", all, short, len(full), len(quick))
	}
	for _, sentence := range full {
		if !strings.HasPrefix(sentence, "The report has no ") {
			t.Errorf("%q", sentence)
		}
	}
}
