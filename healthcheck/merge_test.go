package healthcheck_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

func TestMerge(t *testing.T) {
	ok := result(healthcheck.True, "Fine", "")
	bad := result(healthcheck.False, "Broken", "disk is full")
	worse := result(healthcheck.False, "Gone", "no network")
	unknown := result(healthcheck.Unknown, "Silent", "no answer")
	rolling := withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(time.Minute))
	late := withDeadline(rolling, in(-time.Minute))
	tests := map[string]struct {
		given []healthcheck.Result
		want  healthcheck.Result
	}{
		"no result is not healthy":           {nil, result(healthcheck.Unknown, healthcheck.ReasonNoResult, "no check returned a result")},
		"one result":                         {results(bad), bad},
		"one invalid result":                 {results(healthcheck.Result{}), invalid(`a check returned the unknown status ""`)},
		"all healthy":                        {results(ok, ok), ok},
		"an invalid one is not healthy":      {results(ok, healthcheck.Result{}), invalid(`a check returned the unknown status ""`)},
		"false before unknown":               {results(unknown, bad), bad},
		"unknown before progressing":         {results(rolling, unknown), recheck(unknown, in(time.Minute))},
		"progressing before true":            {results(ok, rolling), recheck(rolling, in(time.Minute))},
		"past its deadline it is false":      {results(unknown, late), failed(late)},
		"the first of the worst has reasons": {results(ok, worse, bad), result(healthcheck.False, "Gone", "no network; disk is full")},
		"equal messages are said once":       {results(bad, worse, bad), result(healthcheck.False, "Broken", "disk is full; no network")},
		"empty messages are left out":        {results(bad, result(healthcheck.False, "R", "")), bad},
		"the earliest deadline of the worst": {
			results(withDeadline(bad, in(-2)), withDeadline(worse, in(-3)), withDeadline(unknown, in(-4))),
			withDeadline(result(healthcheck.False, "Broken", "disk is full; no network"), in(-3)),
		},
		"the earliest recheck of all": {results(recheck(bad, in(5)), recheck(ok, in(4)), recheck(unknown, in(6))), recheck(bad, in(4))},
		"codes of the worst, sorted, each once": {
			results(codes(ok, "Z"), codes(bad, "C", "A"), codes(bad, "B", "A")), codes(bad, "A", "B", "C"),
		},
		"codes of one result": {results(codes(bad, "B", "A", "B")), codes(bad, "A", "B")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, healthcheck.Merge(now, tt.given...)); diff != "" {
				t.Errorf("Merge (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMergeAllocatesNothing: this is for the common case, one check that finds nothing
// wrong.
func TestMergeAllocatesNothing(t *testing.T) {
	healthy := result(healthcheck.True, "Fine", "")
	if n := testing.AllocsPerRun(100, func() { sink = healthcheck.Merge(now, healthy) }); n != 0 {
		t.Errorf("merging one healthy result allocates %v times, want 0", n)
	}
}

// sink keeps the compiler from optimizing a measured call away.
var sink healthcheck.Result

func BenchmarkMergeOneHealthy(b *testing.B) {
	healthy := result(healthcheck.True, "Fine", "")
	b.ReportAllocs()
	for b.Loop() {
		sink = healthcheck.Merge(now, healthy)
	}
}

func result(status healthcheck.Status, reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: status, Reason: reason, Message: message}
}

func results(list ...healthcheck.Result) []healthcheck.Result { return list }

func recheck(r healthcheck.Result, at time.Time) healthcheck.Result {
	r.RecheckAt = at
	return r
}

func codes(r healthcheck.Result, list ...string) healthcheck.Result {
	r.Codes = list
	return r
}
