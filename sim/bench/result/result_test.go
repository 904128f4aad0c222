package result

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e9), 1, 9).Draw(t, "values")
		median, below, above := Median(values), 0, 0
		for _, value := range values {
			if value <= median {
				below++
			}
			if value >= median {
				above++
			}
		}
		half := (len(values) + 1) / 2
		if n := len(values); n%2 == 0 {
			half = n / 2
		}
		if below < half || above < half || median < slices.Min(values) || median > slices.Max(values) {
			t.Fatalf("median %v: %d values are at most that, and %d at least", median, below, above)
		}
	})
}

func TestUnits(t *testing.T) {
	for unit, measures := range map[string][]Measure{
		Seconds: {VerdictP99, MarkP99, HandoverP99, "mark-max", StormVerdict, StormMark, StormFirst, LoneMark, HeartbeatCPU, IdleCPU, FirstStart, Start, OutageCPU, HangVerdict(1), HangMark(50)},
		Bytes:   {HeartbeatBytes, Memory, ServerMemory, StoreMemory, StoreBytes, ReadBytes},
		Count:   {StormWrites, OnsetWrites, RemedyWrites, RemedyRequests, RemedyEvents, IdleRequests, IdleWrites, ReadRequests, OutageWrites, Requests("rest", "GET")},
	} {
		for _, m := range measures {
			if m.Unit() != unit {
				t.Errorf("the unit of %s is %s, want %s", m, m.Unit(), unit)
			}
		}
	}
}

func TestFleets(t *testing.T) {
	var fleets []Fleet
	for _, name := range []string{"100x100", "1x10000", "10x100+10000", "1x100", "10x100"} {
		fleet, err := ParseFleet(name)
		if err != nil || fleet.String() != name {
			t.Fatalf("%s is read as %v, %v", name, fleet, err)
		}
		fleets = append(fleets, fleet)
	}
	slices.SortFunc(fleets, Fleet.compare)
	if diff := cmp.Diff([]Fleet{Small, Large, Few, Mixed, Many}, fleets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "x", "1", "1x", "x1", "0x1", "1x-1", "1x1x1", "1 x 1", "any", "1x1+", "1x1+0"} {
		if fleet, err := ParseFleet(bad); err == nil {
			t.Errorf("%q is read as %v", bad, fleet)
		}
	}
}
