package ladder

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestSettled: whatever a row shows, storing it and deciding again comes to rest within a few writes, and then nothing is
// written again at that time, nor a moment later.
func TestSettled(t *testing.T) {
	for _, tt := range allRows() {
		t.Run(tt.name, func(t *testing.T) {
			f := with(tt.facts)
			stores := 0
			for ; ; stores++ {
				d := Decide(f, noon)
				if !d.Store {
					break
				}
				if stores == 4 {
					t.Fatalf("still writes: %s", inBrief(f, d).Says)
				}
				f.Record.Status = d.Status
			}
			again := Decide(f, noon)
			if again.Store {
				t.Errorf("writes again: %+v", inBrief(f, again))
			}
			later := Decide(f, noon.Add(time.Nanosecond))
			if due := again.RecheckAt; later.Store && (due.IsZero() || due.After(noon.Add(time.Nanosecond))) {
				t.Errorf("writes a moment later: %+v", inBrief(f, later))
			}
		})
	}
}

// TestNothingByTheClock: between two looks that a record asks for, the time alone changes nothing.
func TestNothingByTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(t, anyPlan(t))
		for range rapid.IntRange(1, 20).Draw(t, "turns") {
			w.happen(aboutMachine, aboutRequest, aboutSafety, aboutPeople, aboutEnd)
			w.wait(w.settle())
		}
		d := w.settle()
		last := 100 * 24 * time.Hour
		if !d.RecheckAt.IsZero() {
			last = d.RecheckAt.Sub(w.now) - 1
		}
		w.now = w.now.Add(time.Duration(rapid.Int64Range(0, int64(last)).Draw(t, "later")))
		if again := w.decide(); again.Store || again.Act != d.Act {
			w.fail("after %s, without a look being asked for: %+v", w.now, again)
		}
	})
}

// TestWhateverIsStored: whatever a status says, however little it has to do with the world, deciding about it does no harm
// and comes to rest.
func TestWhateverIsStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(t, anyPlan(t))
		other := newModel(t, anyPlan(t))
		for range rapid.IntRange(1, 20).Draw(t, "turns") {
			other.happen(aboutMachine, aboutRequest, aboutSafety, aboutPeople, aboutEnd)
			other.wait(other.settle())
		}
		w.f.Record.Status, w.f.Record.Spec.Grant = other.f.Record.Status, other.f.Record.Spec.Grant
		w.now, w.unrelated, w.jumped = other.now, true, true
		w.happen(aboutMachine, aboutRequest, aboutSafety)
		w.settle()
	})
}
