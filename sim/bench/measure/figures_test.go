package measure

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestPercentile: a percentile is the least value that so many percent do not exceed.
func TestPercentile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sorted := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 300).Draw(t, "values")
		slices.Sort(sorted)
		percent := rapid.IntRange(1, 100).Draw(t, "percent")
		got := percentile(sorted, percent)
		var upTo, below int
		for _, value := range sorted {
			if value <= got {
				upTo++
			}
			if value < got {
				below++
			}
		}
		if upTo*100 < percent*len(sorted) || below*100 >= percent*len(sorted) {
			t.Errorf("%d%% of %d values is %v: %d are up to it, %d below", percent, len(sorted), got, upTo, below)
		}
	})
}

// TestDelays: an event before its deadline has no delay, because timestamps in the API have whole seconds.
func TestDelays(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	got := delays([]time.Time{at(5500), at(900), at(3000)}, []time.Time{at(5000), at(1000), at(1000)})
	if diff := gocmp.Diff([]float64{0, 0.5, 2}, got); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
	if last := latest([]time.Time{at(2), at(9), at(4)}); !last.Equal(at(9)) {
		t.Errorf("the latest is %s", last)
	}
}

// TestTake: one figure has the values of all rounds, and subjects are kept apart.
func TestTake(t *testing.T) {
	shape := result.Fleet{Clusters: 1, Machines: 2}
	s := &stand{fleet: &fleet.Fleet{Shape: shape}, figures: map[result.Key][]float64{}}
	s.take(result.Memory, result.Sickbay, 1)
	s.take(result.Memory, result.Floor, 2)
	s.take(result.Memory, result.Sickbay, 3)
	s.take(result.IdleWrites, result.Sickbay, 0)
	want := map[result.Key][]float64{
		{Measure: result.Memory, Fleet: shape, Subject: result.Sickbay}:     {1, 3},
		{Measure: result.Memory, Fleet: shape, Subject: result.Floor}:       {2},
		{Measure: result.IdleWrites, Fleet: shape, Subject: result.Sickbay}: {0},
	}
	if diff := gocmp.Diff(want, s.figures); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

// TestSome: no machine is picked twice, and at least one is.
func TestSome(t *testing.T) {
	s := &stand{random: rand.New(rand.NewPCG(1, 2)), fleet: &fleet.Fleet{Machines: make([]fleet.Machine, 10)}}
	for i := range s.fleet.Machines {
		s.fleet.Machines[i].Name = string(rune('a' + i))
	}
	for n, want := range map[int]int{0: 1, 1: 1, 4: 4, 10: 10} {
		picked := s.some(n)
		slices.SortFunc(picked, func(a, b fleet.Machine) int { return cmp.Compare(a.Name, b.Name) })
		if len(slices.Compact(picked)) != want {
			t.Errorf("of %d there are %v", n, picked)
		}
	}
}

// TestPauseEnds: a pause ends with its context, and returns the cause.
func TestPauseEnds(t *testing.T) {
	why := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := pause(ctx, time.Hour); !errors.Is(err, why) {
		t.Errorf("paused: %v", err)
	}
	if err := pause(t.Context(), -time.Second); err != nil {
		t.Errorf("what is over takes no time: %v", err)
	}
}
