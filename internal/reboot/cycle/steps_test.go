package cycle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stepWorld is one in which nothing goes wrong, and a person asks for steps by annotations.
func stepWorld(t rapid.TB, asked ...v1alpha1.Step) *world {
	w := newWorld()
	w.t = t
	w.machine.byAnnotation, w.machine.byHealthCheck = true, false
	w.request.spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}
	w.ask(asked...)
	return w
}

func (w *world) ask(steps ...v1alpha1.Step) {
	for _, step := range steps {
		w.machine.keys[step] = true
		w.seen.stepwise = w.seen.stepwise || !w.machine.plain || w.machine.ofHealthCheck
	}
}

// rest is where a world has settled: its phase, the annotations that are left, whether the host is on, and
// whether the Node of the beginning is still there.
type rest struct {
	phase v1alpha1.Phase
	left  string
	on    bool
	node  string
	// over tells that the record is let go of.
	over bool
}

func (w *world) rest() rest {
	over := w.goOn(time.Hour)
	r := rest{phase: w.request.status.Phase, on: w.iron.power, over: over}
	var left []string
	for _, step := range steps {
		if w.machine.keys[step] {
			left = append(left, string(step))
		}
	}
	r.left = strings.Join(left, ",")
	if w.workload.node != nil {
		r.node = string(w.workload.node.UID)
	}
	return r
}

// TestSteps: each set of steps is taken in the one order that is safe, each annotation leaves when its step is done, and
// what is not asked for is not done.
func TestSteps(t *testing.T) {
	const off, del, on = v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn
	tests := []struct {
		asked []v1alpha1.Step
		plain bool
		want  rest
	}{
		{asked: []v1alpha1.Step{off}, want: rest{phase: v1alpha1.Holding, node: "node-1"}},
		{asked: []v1alpha1.Step{off, del}, want: rest{phase: v1alpha1.Holding}},
		{asked: []v1alpha1.Step{off, on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}},
		{asked: []v1alpha1.Step{off, del, on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		// A Node is not deleted while its host may run, and a host that was not switched off is not let on.
		{asked: []v1alpha1.Step{del}, want: rest{phase: v1alpha1.Pending, left: "Delete", on: true, node: "node-1"}},
		{asked: []v1alpha1.Step{on}, want: rest{phase: v1alpha1.Pending, left: "PowerOn", on: true, node: "node-1"}},
		{asked: []v1alpha1.Step{del, on}, want: rest{phase: v1alpha1.Pending, left: "Delete,PowerOn", on: true, node: "node-1"}},
		{asked: nil, want: rest{phase: v1alpha1.Aborted, on: true, node: "node-1", over: true}},
		{asked: nil, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{asked: []v1alpha1.Step{off}, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{asked: []v1alpha1.Step{on}, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%v %t", tt.asked, tt.plain), func(t *testing.T) {
			w := stepWorld(t, tt.asked...)
			w.machine.plain = tt.plain
			if got := w.rest(); got != tt.want {
				t.Errorf("comes to rest as %+v, want %+v", got, tt.want)
			}
			if w.machine.plain {
				t.Error("the annotation for all is left")
			}
		})
	}
}

// TestStepsOneAfterTheOther: steps may be asked for whenever one likes, with any time between; what comes of them is
// the same as if they were asked for at once, as soon as the last is.
func TestStepsOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := stepWorld(t)
		order := rapid.Permutation(steps).Draw(t, "order")
		// Who asks for PowerOn before Delete wants the Node back as it was.
		deletes := slices.Index(order, v1alpha1.StepDelete) < slices.Index(order, v1alpha1.StepPowerOn) ||
			slices.Index(order, v1alpha1.StepDelete) < slices.Index(order, v1alpha1.StepPowerOff)
		w.ask(order[0])
		for _, step := range order[1:] {
			if got := w.rest(); got.over {
				t.Fatalf("it is over after %s: %+v", step, got)
			}
			w.advance(rapid.SampledFrom([]time.Duration{0, time.Minute, 24 * time.Hour}).Draw(t, "later"))
			if !w.over() {
				w.ask(step)
			}
			if step == order[len(order)-1] || deletes {
				continue
			}
			// PowerOff and PowerOn are there: that is a cycle without Delete.
			if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}) {
				t.Fatalf("without Delete it ends as %+v", got)
			}
			return
		}
		if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}) {
			t.Fatalf("asked for in the order %v it ends as %+v", order, got)
		}
		if w.seen.cycles != 1 {
			t.Fatalf("the host was cycled %d times", w.seen.cycles)
		}
		w.checkAfterwards()
	})
}

// TestPlainWhileHeld: who asks for a full cycle of a host that is held off gets the rest of it.
func TestPlainWhileHeld(t *testing.T) {
	w := stepWorld(t, v1alpha1.StepPowerOff)
	w.rest()
	w.personAsks()
	if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}) || w.seen.cycles != 1 {
		t.Fatalf("it ends as %+v after %d cycles", got, w.seen.cycles)
	}
}

// TestHeldIsHeld: a host that somebody had switched off stays so, until he asks for PowerOn or takes the request back:
// no matter which annotations come and go, who takes our key, and what fails.
func TestHeldIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := stepWorld(t, v1alpha1.StepPowerOff)
		if got := w.rest(); got.phase != v1alpha1.Holding {
			t.Fatalf("it comes to rest as %+v", got)
		}
		happenings := names(map[string]event{
			"asked for Delete": doings["asked for Delete"], "not Delete": doings["not Delete"], "asked for PowerOff": doings["asked for PowerOff"],
			"our key drops": doings["our key drops"], "a health check asks": doings["a health check asks"], "reads fail": faults["reads fail"],
			"a pause": faults["a pause"], "workload is lost": faults["workload is lost"], "workload is back": faults["workload is back"],
			"writes fail": faults["writes fail"],
		})
		for range rapid.IntRange(0, 30).Draw(t, "turns") {
			w.turn(t, happenings)
		}
		heal := []event{faults["workload is back"], faults["writes fail"], faults["reads work"]}
		for _, e := range heal {
			e(w)
		}
		w.goOn(time.Hour)
		if w.request.status.Phase != v1alpha1.Holding || w.iron.power {
			t.Fatalf("in phase %s, and on is %t", w.request.status.Phase, w.iron.power)
		}
		w.ask(v1alpha1.StepPowerOn)
		if got := w.rest(); got.phase != v1alpha1.Succeeded || !got.on {
			t.Fatalf("and then: %+v", got)
		}
		w.checkAfterwards()
	})
}

// TestKeyLostWhileHeld: a host whose key was taken may be on its way up when the key is set again, though it says that it is
// off. What was proven before is worth nothing then.
func TestKeyLostWhileHeld(t *testing.T) {
	w := stepWorld(t, v1alpha1.StepPowerOff)
	w.rest()
	w.operator.onDelay = 40 * time.Second
	doings["our key drops"](w)
	w.advance(5 * time.Second)
	if w.iron.target == nil || w.host.poweredOn {
		t.Fatalf("the host is not on its way up: %+v", w.iron)
	}
	w.run()
	w.ask(v1alpha1.StepDelete)
	if got := w.rest(); got != (rest{phase: v1alpha1.Holding}) || w.iron.power {
		t.Fatalf("it comes to rest as %+v", got)
	}
}

// TestDeleteLongAfter: the time in which a host was held does not count against what is asked for then.
func TestDeleteLongAfter(t *testing.T) {
	w := stepWorld(t, v1alpha1.StepPowerOff)
	w.rest()
	w.advance(24 * time.Hour)
	w.workload.down = true
	w.ask(v1alpha1.StepDelete)
	w.goOn(isolateTimeout - 10*time.Second)
	w.workload.down = false
	if got := w.rest(); got != (rest{phase: v1alpha1.Holding}) {
		t.Fatalf("it comes to rest as %+v", got)
	}
}
