package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figure := Figure{Values: rapid.SliceOfN(rapid.Float64Range(0, 1e9), 1, 9).Draw(t, "values")}
		below, above := 0, 0
		for _, value := range figure.Values {
			if value <= figure.Median() {
				below++
			}
			if value >= figure.Median() {
				above++
			}
		}
		half := (len(figure.Values) + 1) / 2
		if n := len(figure.Values); n%2 == 0 {
			half = n / 2
		}
		if below < half || above < half || figure.Median() < figure.Min() || figure.Median() > figure.Max() {
			t.Fatalf("median %v: %d values are at most that, and %d at least", figure.Median(), below, above)
		}
	})
}

func TestRatio(t *testing.T) {
	fleet := Fleet{Clusters: 1, Machines: 100}
	figure := func(m Measure, s Subject, value float64) Figure {
		return Figure{Measure: m, Fleet: fleet, Subject: s, Values: []float64{value}}
	}
	report := Report{Figures: []Figure{
		figure(Memory, Sickbay, 3), figure(Memory, Upstream, 6),
		figure(IdleWrites, Sickbay, 0), figure(IdleWrites, Upstream, 0),
	}}
	type answer struct {
		Ratio float64
		OK    bool
	}
	tests := map[string]struct {
		measure Measure
		of, to  Subject
		want    answer
	}{
		"half":              {Memory, Sickbay, Upstream, answer{0.5, true}},
		"twice":             {Memory, Upstream, Sickbay, answer{2, true}},
		"to nothing":        {IdleWrites, Sickbay, Upstream, answer{}},
		"not measured":      {Memory, Sickbay, Floor, answer{}},
		"no such measuring": {Start, Sickbay, Upstream, answer{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ratio, ok := report.Ratio(tt.measure, fleet, tt.of, tt.to)
			if diff := cmp.Diff(tt.want, answer{ratio, ok}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRequests: each phase and verb has its own measure.
func TestRequests(t *testing.T) {
	titles := map[string]bool{}
	for _, phase := range Phases() {
		for _, verb := range Verbs() {
			info, ok := Describe(Requests(phase, verb))
			if !ok || info.Unit != "1" || titles[info.Title] {
				t.Errorf("%s is described as %+v", Requests(phase, verb), info)
			}
			titles[info.Title] = true
		}
	}
	if info, ok := Describe(Requests("sleep", "GET")); ok {
		t.Errorf("requests of no phase are described as %+v", info)
	}
}

func TestFleets(t *testing.T) {
	var report Report
	for _, name := range []string{"100x100", "1x10000", "1x100", "100x100"} {
		fleet, err := ParseFleet(name)
		if err != nil || fleet.String() != name {
			t.Fatalf("%s is read as %v, %v", name, fleet, err)
		}
		report.Figures = append(report.Figures, Figure{Fleet: fleet})
	}
	want := []Fleet{{Clusters: 1, Machines: 100}, {Clusters: 1, Machines: 10000}, {Clusters: 100, Machines: 100}}
	if diff := cmp.Diff(want, report.Fleets()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "x", "1", "1x", "x1", "0x1", "1x-1", "1x1x1", "1 x 1", "any"} {
		if fleet, err := ParseFleet(bad); err == nil {
			t.Errorf("%q is read as %v", bad, fleet)
		}
	}
}

// TestJoin: a later figure replaces an earlier one, and no other figure is lost.
func TestJoin(t *testing.T) {
	fleet := Fleet{Clusters: 1, Machines: 100}
	figure := func(m Measure, value float64) Figure {
		return Figure{Measure: m, Fleet: fleet, Subject: Sickbay, Values: []float64{value}}
	}
	first := Report{Quick: true, Figures: []Figure{figure(Memory, 1), figure(Start, 2)}}
	second := Report{Figures: []Figure{figure(Start, 3), figure(IdleCPU, 4)}}
	want := Report{Figures: []Figure{figure(Start, 3), figure(IdleCPU, 4), figure(Memory, 1)}}
	if diff := cmp.Diff(want, first.Join(second)); diff != "" {
		t.Errorf("joined (-want +got):\n%s", diff)
	}
	if len(second.Figures) != 2 {
		t.Errorf("the later report has changed: %v", second)
	}
}
