package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOurLimits: the file is valid, and has a limit for every goal that is not a time.
func TestOurLimits(t *testing.T) {
	all, err := LoadLimits("../limits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	limited := map[Measure]bool{}
	for _, limit := range all {
		limited[limit.Measure] = true
	}
	for _, measure := range []Measure{
		VerdictP99, StormMark, HeartbeatCPU, IdleWrites, RemedyWrites, RemedyRequests, RemedyEvents, HandoverP99, Memory, HangVerdict(1),
	} {
		if !limited[measure] {
			t.Errorf("there is no limit for %s", measure)
		}
	}
}

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
	}
}
