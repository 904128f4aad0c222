package cycle

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestWhateverHappens lets anything happen in any order. No Node is ever touched while its host may run, nothing is lost, and once
// the faults are over, the cycle ends and leaves nothing behind.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		w.anyPower(t)
		events := names(faults, doings)
		turns := rapid.SampledFrom([]int{5, 10, 20, 40, 80, 160}).Draw(t, "turns")
		end := rapid.SampledFrom([]int{-1, -1, -1, 10, 20, 40, 80}).Draw(t, "end")
		for i := range turns {
			if i == end {
				name := rapid.SampledFrom(names(ends)).Draw(t, "ends")
				w.logf("* %s", name)
				happen(name)(w)
			}
			w.turn(t, events)
		}
		w.heal()
		w.logf("* all is healed")
		if !w.goOn(w.longest()) {
			t.Fatalf("no end in sight, in phase %s: %+v", w.request.status.Phase, w.request.status.Conditions)
		}
		w.checkAfterwards()
	})
}

// longest returns how long the waits of a cycle may take together.
func (w *model) longest() time.Duration {
	s := w.request.spec
	cycle := s.PowerOffTimeout() + proofTime + isolateTimeout + s.PowerOnTimeout() + 3*s.NodeTimeout()
	// Add a proof that starts again, firmware work, and a last wait for a host or a Node.
	return 2*(cycle+5*time.Minute) + s.PowerOffTimeout() + 2*s.NodeTimeout()
}

// TestLettingGoNeedsOnlyTheHost: while nothing else can be read, no host stays off unless a person wants it off.
func TestLettingGoNeedsOnlyTheHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		w.anyPower(t)
		for range rapid.SampledFrom([]int{5, 10, 20, 40}).Draw(t, "turns") {
			w.turn(t, names(faults, doings))
		}
		if rapid.Bool().Draw(t, "deleted") && w.request.exists {
			w.deleteRequest()
		}
		w.heal()
		w.unreadable, w.late = true, nil
		w.logf("* nothing but the host can be read")
		w.goOn(powerOffTimeout + proofTime + isolateTimeout + time.Minute)
		if w.request.status.Phase == v1alpha1.Holding && !w.request.deleting {
			return
		}
		w.advance(30 * time.Minute)
		w.checkLeft()
	})
}

// TestNotWhileItMayRun concentrates on hosts that go off and on while they are to be proven off, with an operator that stops at the
// worst moment. What follows does not matter here.
func TestNotWhileItMayRun(t *testing.T) {
	events := []string{
		"operator stops", "operator starts", "operator starts", "power dips", "our key drops", "all keys drop", "other holds", "other lets go", "other asks",
		"online: false", "online: true", "onDelay", "a leader whose clock is ahead", "a leader whose clock is behind", "a leader whose clock is right", "the clock jumps ahead", "reads fail", "reads work", "BMC is lost", "BMC is back", "host is paused", "host is unpaused", "firmware waits",
	}
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		w.anyPower(t)
		turns := rapid.SampledFrom([]int{10, 20, 40}).Draw(t, "turns")
		for i := 0; i < turns && w.request.status.IsolatedAt == nil && !w.over(); i++ {
			w.turn(t, events)
		}
	})
}

// TestFromAnyRecord: whatever the record says, and however little that fits the world, the cycle ends and leaves nothing behind.
func TestFromAnyRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		w.anyPower(t)
		f := in(rapid.SampledFrom(allPhases).Draw(t, "phase"))
		anyRecord(t)(&f)
		// Except for the proof that the host is off: Decide trusts that.
		f.Status.KeySince, f.Status.SeenOnAt = nil, nil
		w.request.finalizer, w.request.status, w.request.deleting = true, f.Status, rapid.Bool().Draw(t, "deleting")
		w.iron.offAt = w.now // as the record may claim
		if rapid.Bool().Draw(t, "key") && f.Status.Host != nil {
			w.host.keys[simKey], w.host.keys[simProbe] = noon.Format(time.RFC3339), probeOurs
			w.touchHost()
		}
		w.advance(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "later"))
		w.heal()
		if !w.goOn(w.longest()) {
			t.Fatalf("no end in sight, in phase %s: %+v", w.request.status.Phase, w.request.status.Conditions)
		}
		w.advance(30 * time.Minute)
		w.checkLeft()
	})
}

// checkAfterwards checks what is left at the end, and how often the host was cycled.
func (w *model) checkAfterwards() {
	w.advance(30 * time.Minute)
	w.checkLeft()
	if limit := 1 + w.seen.boots; w.host.fenceable && w.seen.cycles > limit {
		w.t.Fatalf("the host went off %d times", w.seen.cycles)
	}
	end := meta.FindStatusCondition(w.request.status.Conditions, v1alpha1.ConditionSucceeded)
	if end != nil && end.Reason == v1alpha1.ReasonWithdrawn && w.request.status.Phase == v1alpha1.Aborted && w.seen.wanted != nil {
		w.t.Fatalf("what was on the Node is lost")
	}
}

// checkLeft checks that nothing of ours is left on the host.
func (w *model) checkLeft() {
	if !w.host.exists || w.host.uid != "h-1" {
		return
	}
	if _, ok := w.host.keys[simKey]; ok || w.host.keys[simProbe] == probeOurs {
		w.t.Fatalf("our key is left on the host: %v", w.host.keys)
	}
	if !w.iron.power {
		w.t.Fatalf("the host is left off")
	}
}

// TestCrashesChangeNothing: however often the controller crashes between two writes, the end and the number of cycles are the same.
// This also holds if it ran on the host that it switched off, and continues elsewhere.
func TestCrashesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		whole := w.request.spec.Until == ""
		turns := 0
		for !w.over() && turns < 200 {
			turns++
			switch fate := rapid.SampledFrom([]string{"step", "step", "step", "lost", "late", "crash", "1s", "10s"}).Draw(t, "turn"); fate {
			case "crash":
				w.late = nil
				w.advance(rapid.SampledFrom([]time.Duration{time.Second, 20 * time.Second, time.Minute}).Draw(t, "down"))
			case "1s", "10s":
				d, _ := time.ParseDuration(fate)
				w.advance(d)
			default:
				w.step(fate)
			}
			w.advance(0)
		}
		if !whole {
			return
		}
		if !w.goOn(3 * time.Hour) {
			t.Fatalf("no end in sight, in phase %s", w.request.status.Phase)
		}
		if got := w.request.status; got.Phase != v1alpha1.Succeeded || w.seen.cycles != 1 {
			t.Fatalf("ended as %s after %d cycles", got.Phase, w.seen.cycles)
		}
		w.checkAfterwards()
	})
}
