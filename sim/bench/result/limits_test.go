package result

import (
	"strings"
	"testing"
<<<<<<< HEAD
=======

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
>>>>>>> s-bench
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

<<<<<<< HEAD
func TestBadLimits(t *testing.T) {
	const good = "{measure: idle-writes, fleet: any, most: 0, why: so}"
	with := func(from, to string) string { return "limits: [" + strings.Replace(good, from, to, 1) + "]" }
	tests := map[string]struct{ text, want string }{
		"nothing":           {"", "there are no limits"},
		"not YAML":          {"limits: {", "yaml: "},
		"another field":     {with("why", "because"), `unknown field "because"`},
		"a field twice":     {with("why: so", "why: so, why: not"), `key "why" already set`},
		"no number":         {with("0", "much"), "much is not a number such as 3, 1.5 or 1/20"},
		"divided by 0":      {with("0", "1/0"), "1/0 is not a number"},
		"negative":          {with("0", "-1"), "-1 is not a number"},
		"a list":            {with("0", "[1]"), "[1] is not a number"},
		"no most":           {with("most: 0, ", ""), "limit 1, idle-writes at any: it does not say how much is the most"},
		"no why":            {with("why: so", ""), "limit 1, idle-writes at any: it does not say why"},
		"no measure":        {with("measure: idle-writes, ", ""), `nobody knows the measure ""`},
		"unknown measure":   {with("idle-writes", "speed"), `nobody knows the measure "speed"`},
		"no fleet":          {with("fleet: any, ", ""), `"" is not a fleet such as 1x1000, one cluster of 1000 machines, or 9x100+1000, nine of 100 beside it, nor any`},
		"bad fleet":         {with("any", "many"), `"many" is not a fleet`},
		"a time":            {with("idle-writes", "start"), "limit 1, start at any: only a ratio of it can be limited"},
		"bytes":             {with("idle-writes", "memory"), "limit 1, memory at any: only a ratio of it can be limited"},
		"against nothing":   {with("why", "against: {}, why"), "it is against nothing"},
		"against nobody":    {with("why", "against: {subject: x}, why"), `limit 1, idle-writes at any against x: nobody knows the subject "x"`},
		"against no one's":  {with("why", "against: {measure: x}, why"), `nobody knows the measure "x"`},
		"against any":       {with("why", "against: {fleet: any}, why"), `"any" is not a fleet`},
		"against a time":    {with("why", "against: {measure: start}, why"), "start has another unit"},
		"twice":             {"limits: [" + good + ", " + good + "]", "limit 2, idle-writes at any: it is there twice"},
		"the second is bad": {"limits: [" + good + ", {}]", "limit 2, "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "limits.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := LoadLimits(path)
			if err == nil || !strings.HasPrefix(err.Error(), "reading limits "+path+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("the error is %v, and not about %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is more than a line: %v", err)
			}
		})
	}
	if _, err := LoadLimits(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "reading limits: ") {
		t.Errorf("the error is %v", err)
=======
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
>>>>>>> s-bench
	}
}
