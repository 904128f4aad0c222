package pacing_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

func TestOrder(t *testing.T) {
	full := func(key, n string) string {
		return "MachineSet " + key + " has as many unproven repairs as it may have (" + n + ")"
	}
	// After one that was proven the limit of a and z is 2.
	two := repair("p", 30*minute, 5*minute, proven)
	four := []pacing.Repair{repair("o", 40*minute, 31*minute, proven), repair("p", 30*minute, 6*minute, proven), repair("q", 30*minute, 5*minute, proven)}
	inZ := func(r pacing.Repair, key string) pacing.Repair {
		r.Domains = []string{key, "z"}
		return r
	}
	tests := map[string]struct {
		repairs  []pacing.Repair
		due      []pacing.Candidate
		eligible []string
		delayed  map[string]string
	}{
		"nobody":                    {nil, nil, nil, nil},
		"a lone fault":              {nil, several(1, "m", "a", "z"), []string{"m-0"}, nil},
		"a flood":                   {nil, several(3, "m", "a"), []string{"m-0"}, map[string]string{"m-1": full("a", "1"), "m-2": full("a", "1")}},
		"a flood of two at once":    {[]pacing.Repair{two}, several(3, "m", "a"), []string{"m-0", "m-1"}, map[string]string{"m-2": full("a", "2")}},
		"one is at work":            {[]pacing.Repair{atWork("a", 30*minute)}, several(1, "m", "a"), nil, map[string]string{"m-0": full("a", "1")}},
		"one of two is at work":     {[]pacing.Repair{two, atWork("a", 4*minute)}, several(2, "m", "a"), []string{"m-0"}, map[string]string{"m-1": full("a", "2")}},
		"no domain":                 {nil, several(3, "m"), []string{"m-0", "m-1", "m-2"}, nil},
		"a flood and a lone fault":  {nil, append(several(3, "m", "a"), candidate("lone", "b")), []string{"m-0", "lone"}, map[string]string{"m-1": full("a", "1"), "m-2": full("a", "1")}},
		"they share a full one":     {[]pacing.Repair{atWork("a", 30*minute)}, append(several(1, "m", "a", "z"), candidate("lone", "b", "z")), nil, map[string]string{"m-0": full("a", "1"), "lone": full("z", "1")}},
		"the lone fault is next":    {[]pacing.Repair{repair("a", 30*minute, 2*minute, neither)}, append(several(2, "m", "a", "z"), candidate("lone", "b", "z")), []string{"lone"}, map[string]string{"m-0": full("z", "1"), "m-1": full("z", "1")}},
		"by turns":                  {[]pacing.Repair{two, inZ(repair("q", 30*minute, 5*minute, neither), "b")}, append(several(3, "m", "a"), several(3, "n", "b")...), []string{"m-0", "n-0", "m-1"}, map[string]string{"m-2": full("a", "2"), "n-1": full("b", "1"), "n-2": full("b", "1")}},
		"the other domain decides":  {[]pacing.Repair{inZ(repair("p", 20*minute, 9*minute, neither), "y")}, []pacing.Candidate{candidate("late", "x", "y"), candidate("never", "x", "w")}, []string{"never"}, map[string]string{"late": full("x", "1")}},
		"domains of similar names":  {[]pacing.Repair{inZ(atWork("a", minute), "ab")}, []pacing.Candidate{candidate("m", "a", "bc"), candidate("n", "ab", "c")}, []string{"m"}, map[string]string{"n": full("ab", "1")}},
		"the least recent of two":   {[]pacing.Repair{inZ(repair("p", 5*minute, 4*minute, neither), "y"), inZ(repair("q", 9*minute, 8*minute, neither), "v")}, []pacing.Candidate{candidate("m", "v"), candidate("n", "y", "w")}, []string{"n", "m"}, nil},
		"by turns, for long":        {[]pacing.Repair{four[0], four[1], four[2], inZ(four[0], "b"), inZ(four[1], "b"), inZ(four[2], "b")}, append(several(4, "m", "a"), several(2, "n", "b")...), []string{"m-0", "n-0", "m-1", "n-1", "m-2", "m-3"}, nil},
		"least recently served":     {[]pacing.Repair{inZ(repair("p", 20*minute, 9*minute, neither), "a"), inZ(repair("q", 30*minute, 9*minute, neither), "b")}, []pacing.Candidate{candidate("m", "a"), candidate("n", "b")}, []string{"n", "m"}, nil},
		"served later, begun first": {[]pacing.Repair{{Domains: []string{"a"}, Started: now.Add(-time.Hour), Served: now.Add(-8 * minute), Completed: now.Add(-7 * minute)}, inZ(repair("q", 30*minute, 9*minute, neither), "b")}, []pacing.Candidate{candidate("m", "a"), candidate("n", "b")}, []string{"n", "m"}, nil},
		"ended by a clock ahead":    {[]pacing.Repair{repair("p", -2*time.Hour, -2*time.Hour, neither), repair("q", -time.Hour, -2*time.Hour, failed)}, several(1, "m", "a"), []string{"m-0"}, nil},
		"served by a clock ahead":   {[]pacing.Repair{two, {Domains: []string{"a"}, Started: now.Add(-minute), Served: now.Add(time.Hour)}}, several(2, "m", "a"), []string{"m-0"}, map[string]string{"m-1": full("a", "2")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			eligible, delayed := pacing.Of(tt.repairs, now).Order(tt.due)
			if diff := cmp.Diff(tt.eligible, uids(eligible)); diff != "" {
				t.Errorf("eligible (-want +got):\n%s", diff)
			}
			var why map[string]string
			for _, h := range delayed {
				if why == nil {
					why = map[string]string{}
				}
				why[string(h.Candidate.UID)] = h.Why
				if !h.Until.IsZero() {
					t.Errorf("%s waits for others until %s", h.Candidate.UID, h.Until)
				}
			}
			if diff := cmp.Diff(tt.delayed, why); diff != "" {
				t.Errorf("delayed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDomainRestsAfterRepairsAndFailures: after a look in which repairs began, and after a failure, a domain rests: 1, 2, 4 and 8 minutes, and up to a
// quarter more.
func TestDomainRestsAfterRepairsAndFailures(t *testing.T) {
	// Failures one after the other, each begun after the one before had failed.
	failures := func(n int) []pacing.Repair {
		all := []pacing.Repair{}
		for i := range n {
			ago := time.Duration(n-1-i) * 9 * minute
			all = append(all, repair("f", ago+8*minute, ago, failed))
		}
		return all
	}
	recovered := append(failures(3), repair("p", 0, -20*minute, proven))
	recovered[3].Started, recovered[3].Served = now.Add(1), now.Add(20*minute)
	tests := map[string]struct {
		repairs []pacing.Repair
		from    time.Time
		rests   time.Duration
	}{
		"nothing was repaired":          {nil, now, 0},
		"one has just begun and ended":  {[]pacing.Repair{repair("a", 0, 0, neither)}, now, minute},
		"one was proven":                {[]pacing.Repair{repair("a", 0, 0, proven)}, now, minute},
		"one failure":                   {failures(1), now, 2 * minute},
		"two":                           {failures(2), now, 4 * minute},
		"three":                         {failures(3), now, 8 * minute},
		"four":                          {failures(4), now, 8 * minute},
		"nine":                          {failures(9), now, 8 * minute},
		"a round is proven after three": {recovered, now.Add(20 * minute), minute},
		"many failures of one round":    {[]pacing.Repair{repair("a", 8*minute, 0, failed), repair("b", 8*minute, 0, failed), repair("c", 8*minute, 0, failed)}, now, 2 * minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			due := several(1, "m", "a", "z")
			open := func(at time.Duration) bool {
				eligible, _ := pacing.Of(tt.repairs, tt.from.Add(at)).Order(due)
				return len(eligible) == 1
			}
			if tt.rests > 0 && open(tt.rests-1) {
				t.Errorf("it is served before it has rested for %s", tt.rests)
			}
			if !open(tt.rests + tt.rests/4) {
				t.Errorf("it is not served although it has rested for %s", tt.rests+tt.rests/4)
			}
			if tt.rests == 0 {
				return
			}
			_, delayed := pacing.Of(tt.repairs, tt.from).Order(due)
			if len(delayed) != 1 || delayed[0].Why != "MachineSet a and MachineSet z cool down after the last repair" {
				t.Fatalf("got %+v", delayed)
			}
			if !open(delayed[0].Until.Sub(tt.from)) || open(delayed[0].Until.Sub(tt.from)-1) {
				t.Errorf("it is delayed until %s, and that is not so", delayed[0].Until)
			}
		})
	}
}

// TestUntilTheFirst: the domain that cools down first decides until when a machine waits.
func TestUntilTheFirst(t *testing.T) {
	inA, inZ := repair("f", minute, 0, failed), repair("n", 0, 0, neither)
	inA.Domains, inZ.Domains = []string{"a"}, []string{"z"}
	for _, keys := range [][]string{{"a", "z"}, {"z", "a"}} {
		_, delayed := pacing.Of([]pacing.Repair{inA, inZ}, now).Order(several(1, "m", keys...))
		if len(delayed) != 1 || delayed[0].Until.Before(now.Add(minute)) || delayed[0].Until.After(now.Add(75*time.Second)) {
			t.Errorf("got %+v", delayed)
		}
	}
}

func TestDomainsDoNotMoveInStep(t *testing.T) {
	until := map[time.Time]bool{}
	for _, c := range several(20, "r") {
		_, delayed := pacing.Of([]pacing.Repair{repair(c.UID, minute, 0, failed)}, now).Order(several(1, "m", "a"))
		until[delayed[0].Until] = true
	}
	if len(until) < 10 {
		t.Errorf("20 domains cool down at %d different moments", len(until))
	}
}

// TestWhatIsTakenCountsAtOnce: the one who ordered is not changed by ordering.
func TestWhatIsTakenCountsAtOnce(t *testing.T) {
	pace := pacing.Of(nil, now)
	due := several(2, "m", "a")
	first, _ := pace.Order(due)
	again, _ := pace.Order(due)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the second order differs (-first +second):\n%s", diff)
	}
	pace.Take(first[0])
	if eligible, delayed := pace.Order(due[1:]); len(eligible) != 0 || len(delayed) != 1 {
		t.Errorf("the limit of one is exceeded: %v", eligible)
	}
	var none pacing.Pace
	none.Take(due[0])
	if eligible, _ := none.Order(due[1:]); len(eligible) != 0 {
		t.Errorf("a pace without repairs does not count: %v", eligible)
	}
}
