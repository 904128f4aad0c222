package reboot

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// anyWorld draws who asks for what, and how quick everything is.
func anyWorld(t *rapid.T) *world {
	w := newWorld()
	w.t = t
	w.request.spec.RetryLimit = new(rapid.Int32Range(0, 2).Draw(t, "retry limit"))
	if rapid.IntRange(0, 2).Draw(t, "taints") == 0 {
		w.request.spec.Isolation = v1alpha1.OutOfServiceTaint
	}
	switch rapid.IntRange(0, 3).Draw(t, "asked by") {
	case 0:
		w.machine.byAnnotation, w.machine.byHealthCheck = true, false
		for _, step := range []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn} {
			if rapid.Bool().Draw(t, string(step)) {
				w.machine.keys[step] = true
			}
		}
	case 1:
		w.machine.byAnnotation, w.machine.plain = true, true
	default:
	}
	w.machine.owned = rapid.Bool().Draw(t, "owned")
	w.operator.lag = rapid.SampledFrom([]time.Duration{0, 0, time.Second, 5 * time.Second}).Draw(t, "lag")
	w.operator.onDelay = rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 40 * time.Second}).Draw(t, "on")
	w.operator.offDelay = rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 40 * time.Second}).Draw(t, "off")
	w.kubelet.bootTime = rapid.SampledFrom([]time.Duration{0, 30 * time.Second, 5 * time.Minute}).Draw(t, "boot")
	if rapid.IntRange(0, 5).Draw(t, "never joined") == 0 {
		w.workload.node, w.machine.node = nil, ""
	}
	return w
}

// anyPower draws a host that is on, or is off and may be on its way up.
func (w *world) anyPower(t *rapid.T) {
	switch rapid.SampledFrom([]string{"on", "on", "coming", "held"}).Draw(t, "power") {
	case "coming":
		w.setPower(false)
		w.host.poweredOn = false
		w.iron.target, w.iron.due = new(true), w.now.Add(w.operator.onDelay)
	case "held":
		w.host.keys[simOther] = "theirs"
		w.touchHost()
		w.advance(2 * time.Minute)
	default:
	}
}

// turn lets one thing happen: mostly the controller has its turn, or time passes.
func (w *world) turn(t *rapid.T, events []string) {
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"step", "step", "step", "lost", "late"}),
		rapid.SampledFrom([]string{"step", "runs", "goes on 20s", "goes on 2m", "goes on 11m"}),
		rapid.SampledFrom([]string{"1s", "5s", "20s", "40s", "1m15s"}),
		rapid.SampledFrom(events),
	).Draw(t, "turn")
	switch d, err := time.ParseDuration(name); {
	case err == nil:
		w.advance(d)
	case name == "step", name == "lost", name == "late":
		w.step(name)
	case name == "runs":
		w.run()
	case strings.HasPrefix(name, "goes on "):
		d, _ := time.ParseDuration(strings.TrimPrefix(name, "goes on "))
		w.goOn(d)
	default:
		w.logf("* %s", name)
		happen(name)(w)
	}
	w.advance(0)
}

func happen(name string) event {
	for _, events := range []map[string]event{faults, doings, ends} {
		if e, ok := events[name]; ok {
			return e
		}
	}
	return nil
}

// run lets the controller work until it waits.
func (w *world) run() {
	for range maxSteps {
		if _, busy := w.step("step"); !busy {
			return
		}
		w.advance(0)
	}
	w.t.Fatalf("the controller does not come to rest in phase %s", w.request.status.Phase)
}

// over tells that nothing more is to be done.
func (w *world) over() bool {
	return !w.request.exists || !w.request.finalizer && (w.request.deleting || w.request.status.Phase.Ended())
}

// goOn lets the controller work as it is called in earnest: when what it reads has changed, and when a decision says. It
// tells whether it comes to an end.
func (w *world) goOn(limit time.Duration) bool {
	end := w.now.Add(limit)
	for w.now.Before(end) {
		w.run()
		if w.over() {
			return true
		}
		before := w.noticed()
		for w.now.Before(end) {
			next := w.nextEvent(end)
			if next.After(w.now.Add(lookForNode)) && looksForNode(w.request.status.Phase) {
				next = w.now.Add(lookForNode)
			}
			at := w.seen.rested.RecheckAt
			if !at.IsZero() && at.Before(next) {
				next = at
			}
			w.advance(max(next.Sub(w.now), 0))
			if !at.IsZero() && !w.now.Before(at) || looksForNode(w.request.status.Phase) || !reflect.DeepEqual(before, w.noticed()) {
				break
			}
		}
	}
	return false
}

// noticed is that part of what can be read of which the controller is told.
func (w *world) noticed() Facts {
	f := w.facts()
	f.Node = NodeFacts{}
	return f
}

func names(events ...map[string]event) []string {
	var all []string
	for _, e := range events {
		all = append(all, slices.Sorted(maps.Keys(e))...)
	}
	return all
}

// TestWhateverHappens lets everything happen in any order. No Node is ever touched while its host may run; nothing is
// lost; and when the faults are over, the cycle comes to an end that leaves nothing behind.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
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
		if !w.goOn(12 * time.Hour) {
			t.Fatalf("no end in sight, in phase %s: %+v", w.request.status.Phase, w.request.status.Conditions)
		}
		w.checkAfterwards()
	})
}

// TestNotWhileItMayRun looks closely at hosts that go off and on while they are to be fenced, for whatever reason, with an operator
// that falls silent at the worst moment. What follows is of no interest here.
func TestNotWhileItMayRun(t *testing.T) {
	events := []string{
		"operator stops", "operator starts", "operator starts", "power dips", "our key drops", "all keys drop", "other holds", "other lets go", "other asks",
		"online: false", "online: true", "onDelay", "BMC is lost", "BMC is back", "host is paused", "host is unpaused", "firmware waits",
	}
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.anyPower(t)
		turns := rapid.SampledFrom([]int{10, 20, 40}).Draw(t, "turns")
		for i := 0; i < turns && w.request.status.IsolatedAt == nil && !w.over(); i++ {
			w.turn(t, events)
		}
	})
}

// TestFromAnyRecord: whatever the record says, and however little that has to do with the world, an end comes of it that
// leaves nothing behind.
func TestFromAnyRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.anyPower(t)
		f := in(rapid.SampledFrom(allPhases).Draw(t, "phase"))
		anyRecord(t)(&f)
		// But for the proof that the host is off: that one is believed.
		f.Status.KeySince, f.Status.SeenOnAt = nil, nil
		w.request.finalizer, w.request.status, w.request.deleting = true, f.Status, rapid.Bool().Draw(t, "deleting")
		w.iron.offAt = w.now // as the record may claim
		w.request.spec.RetryLimit = new(int32(3))
		if rapid.Bool().Draw(t, "key") && f.Status.Host != nil {
			w.host.keys[simKey], w.host.keys[simProbe] = noon.Format(time.RFC3339), probeOurs
			w.touchHost()
		}
		w.advance(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "later"))
		w.heal()
		if !w.goOn(12 * time.Hour) {
			t.Fatalf("no end in sight, in phase %s: %+v", w.request.status.Phase, w.request.status.Conditions)
		}
		w.advance(30 * time.Minute)
		w.checkLeft()
	})
}

// checkAfterwards judges what is left when all is over (I9), and how often the host was cycled (I11, I12).
func (w *world) checkAfterwards() {
	w.advance(30 * time.Minute)
	w.checkLeft()
	if limit := int(w.request.status.Attempt) + w.seen.boots; w.host.fenceable && w.seen.cycles > limit {
		w.t.Fatalf("I12: the host went off %d times in %d attempts", w.seen.cycles, w.request.status.Attempt)
	}
	end := meta.FindStatusCondition(w.request.status.Conditions, v1alpha1.ConditionSucceeded)
	if end != nil && end.Reason == v1alpha1.ReasonWithdrawn && w.request.status.Phase == v1alpha1.Aborted && w.seen.wanted != nil {
		w.t.Fatalf("A2: what was on the Node is lost")
	}
}

// checkLeft looks for what we have left on the host.
func (w *world) checkLeft() {
	if !w.host.exists || w.host.uid != "h-1" {
		return
	}
	if _, ok := w.host.keys[simKey]; ok || w.host.keys[simProbe] == probeOurs {
		w.t.Fatalf("I9: our key is left on the host: %v", w.host.keys)
	}
	if !w.iron.power {
		w.t.Fatalf("I9: the host is left off")
	}
}

// TestCrashesChangeNothing: however often the controller dies between two writes, the end and the number of cycles are the
// same (I11).
func TestCrashesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		whole := w.machine.wholeAsked()
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
		if got := w.request.status; got.Phase != v1alpha1.Succeeded || got.Attempt != 1 || w.seen.cycles != 1 {
			t.Fatalf("ended as %s in attempt %d after %d cycles", got.Phase, got.Attempt, w.seen.cycles)
		}
		w.checkAfterwards()
	})
}
