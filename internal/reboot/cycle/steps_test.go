package cycle

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stepModel returns a model in which nothing goes wrong, and a person asks for steps by annotations.
func stepModel(t rapid.TB, asked ...v1alpha1.Step) *model {
	w := newModel()
	w.t = t
	w.request.spec.Until, w.seen.stepwise = v1alpha1.StepPowerOff, true
	w.ask(asked...)
	return w
}

func (w *model) ask(steps ...v1alpha1.Step) {
	for _, step := range steps {
		w.machine.keys[step] = true
		w.seen.stepwise = w.seen.stepwise || !w.machine.plain
	}
}

// rest is how a model comes to rest: its phase, the annotations that are left, whether the host is on, and whether the
// original Node is still there.
type rest struct {
	phase v1alpha1.Phase
	left  string
	on    bool
	node  string
	// over says that the record has been released.
	over bool
}

func (w *model) rest() rest {
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

// TestSteps: whatever the set of steps, they are taken in the one safe order, each annotation is removed when its step is
// done, and nothing else is done.
func TestSteps(t *testing.T) {
	const off, del, on = v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn
	tests := []struct {
		until v1alpha1.Step
		asked []v1alpha1.Step
		plain bool
		want  rest
	}{
		{asked: nil, want: rest{phase: v1alpha1.Holding, node: "node-1"}},
		{asked: []v1alpha1.Step{off}, want: rest{phase: v1alpha1.Holding, node: "node-1"}},
		{asked: []v1alpha1.Step{off, del}, want: rest{phase: v1alpha1.Holding}},
		{asked: []v1alpha1.Step{del}, want: rest{phase: v1alpha1.Holding}},
		{asked: []v1alpha1.Step{off, on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}},
		{asked: []v1alpha1.Step{on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}},
		{asked: []v1alpha1.Step{off, del, on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{asked: nil, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{asked: []v1alpha1.Step{off}, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{asked: []v1alpha1.Step{on}, plain: true, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
		{until: del, want: rest{phase: v1alpha1.Holding}},
		{until: del, asked: []v1alpha1.Step{off, del}, want: rest{phase: v1alpha1.Holding}},
		{until: del, asked: []v1alpha1.Step{on}, want: rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %v %t", tt.until, tt.asked, tt.plain), func(t *testing.T) {
			w := stepModel(t, tt.asked...)
			w.machine.plain = tt.plain
			w.request.spec.Until = cmp.Or(tt.until, v1alpha1.StepPowerOff)
			if got := w.rest(); got != tt.want {
				t.Errorf("comes to rest as %+v, want %+v", got, tt.want)
			}
			if w.machine.plain {
				t.Error("the annotation for all is left")
			}
		})
	}
}

// TestStepsOneAfterTheOther: steps may be asked for with any time between. The result is the same as if all were asked for at once.
func TestStepsOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := stepModel(t)
		want := rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}
		for _, step := range rapid.SliceOf(rapid.SampledFrom([]v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete})).Draw(t, "first") {
			w.ask(step)
			if step == v1alpha1.StepDelete {
				want.node = "node-2"
			}
			if got := w.rest(); got.phase != v1alpha1.Holding || got.left != "" || got.on {
				t.Fatalf("after %s it comes to rest as %+v", step, got)
			}
			w.advance(rapid.SampledFrom([]time.Duration{0, time.Minute, 24 * time.Hour}).Draw(t, "later"))
		}
		w.ask(v1alpha1.StepPowerOn)
		if got := w.rest(); got != want {
			t.Fatalf("it ends as %+v, want %+v", got, want)
		}
		if w.seen.cycles != 1 {
			t.Fatalf("the host was cycled %d times", w.seen.cycles)
		}
		w.checkAfterwards()
	})
}

// TestLatePowerOffIsForAnother: an annotation that comes after the host was released asks for another cycle, and stays for it.
func TestLatePowerOffIsForAnother(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff, v1alpha1.StepPowerOn)
	playUntil(t, w, v1alpha1.PoweringOn)
	w.ask(v1alpha1.StepPowerOff)
	if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, left: "PowerOff", on: true, node: "node-1", over: true}) {
		t.Errorf("it ends as %+v", got)
	}
}

// TestPlainWhileHeld: a request for a full cycle of a host that is kept off does the remaining steps.
func TestPlainWhileHeld(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
	w.rest()
	w.personAsks()
	if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}) || w.seen.cycles != 1 {
		t.Fatalf("it ends as %+v after %d cycles", got, w.seen.cycles)
	}
}

// TestHeldIsHeld: a host that a person had switched off stays off until the person asks for PowerOn or withdraws the
// request, whatever happens to annotations and our key, and whatever fails.
func TestHeldIsHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := stepModel(t, v1alpha1.StepPowerOff)
		if got := w.rest(); got.phase != v1alpha1.Holding {
			t.Fatalf("it comes to rest as %+v", got)
		}
		happenings := names(map[string]event{
			"asked for Delete": doings["asked for Delete"], "not Delete": doings["not Delete"], "asked for PowerOff": doings["asked for PowerOff"],
			"our key drops": doings["our key drops"], "reads fail": faults["reads fail"],
			"workload is lost": faults["workload is lost"], "workload is back": faults["workload is back"],
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

// TestKeyLostWhileHeld: a host whose key was removed may be on its way up when the key is set again, though it says that it
// is off. The earlier proof counts for nothing then.
func TestKeyLostWhileHeld(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
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

// TestDeleteLongAfter: the time a host was kept off does not count against the steps that follow.
func TestDeleteLongAfter(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
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
