package soak

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

func TestPlanIsInOrderAndWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		shape := result.Fleet{Clusters: rapid.IntRange(1, 30).Draw(t, "clusters"), Machines: rapid.IntRange(1, 200).Draw(t, "machines")}
		duration := time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Hour)).Draw(t, "duration"))
		every := time.Duration(rapid.Int64Range(int64(2*time.Second), int64(time.Minute)).Draw(t, "every"))
		plan := Plan(seed, shape, duration, every)
		if diff := cmp.Diff(plan, Plan(seed, shape, duration, every)); diff != "" {
			t.Fatalf("the same seed gave two plans:\n%s", diff)
		}
		var at time.Duration
		killed := 0
		for _, f := range plan {
			if f.At < at || f.At >= duration {
				t.Fatalf("%v comes after %s, in a time of %s", f, at, duration)
			}
			at = f.At
			if f.Cluster < 0 || f.Cluster >= shape.Clusters || f.Machine < 0 || f.Machine >= shape.Machines {
				t.Fatalf("%v befalls nobody in %s", f, shape)
			}
			if f.Kind != Kill {
				continue
			}
			killed++
			if f.At > duration/4 {
				t.Fatalf("%v comes after the time for warming up, of %s", f, duration/4)
			}
		}
		if killed != kills {
			t.Fatalf("the manager is killed %d times, not %d", killed, kills)
		}
	})
}

func TestPlanHasEverythingInHalfAnHour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const duration, every = 30 * time.Minute, 2 * time.Second
		plan := Plan(rapid.Uint64().Draw(t, "seed"), result.Fleet{Clusters: 20, Machines: 100}, duration, every)
		if n := len(plan); n < 700 || n > 1100 {
			t.Errorf("there are %d faults, not some 900", n)
		}
		times := map[Kind]int{}
		for _, f := range plan {
			times[f.Kind]++
			if f.Kind == Storm && (f.Percent < stormLeast || f.Percent > stormMost) {
				t.Errorf("%v is no storm", f)
			}
		}
		for _, d := range draws {
			// The least likely kind comes 36 times on average.
			if times[d.kind] < 5 {
				t.Errorf("%q comes %d times", d.kind, times[d.kind])
			}
		}
	})
}

// A flap must end before its deadline, even though timestamps lose up to a second.
func TestFlapsAreShort(t *testing.T) {
	for _, d := range draws {
		if d.kind == Flap && d.most >= fleet.NodeTimeout-time.Second {
			t.Errorf("flaps last up to %s, and are due after %s", d.most, fleet.NodeTimeout-time.Second)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	shape := result.Fleet{Clusters: 20, Machines: 100}
	if cmp.Equal(Plan(1, shape, time.Minute, time.Second), Plan(2, shape, time.Minute, time.Second)) {
		t.Error("two seeds gave the same plan")
	}
}
