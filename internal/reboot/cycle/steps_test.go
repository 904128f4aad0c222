package cycle

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// stepModel returns a model in which a person asks for steps by annotations.
func stepModel(t *testing.T, asked ...v1alpha1.Step) *model {
	t.Helper()
	return play(t, in("", asking(asked...)))
}

func (w *model) ask(steps ...v1alpha1.Step) {
	for _, step := range steps {
		w.f.Machine.Steps[step] = true
	}
}

// playUntil plays until a phase has begun.
func (w *model) playUntil(phase v1alpha1.Phase) {
	if !w.goOnUntil(time.Hour, func() bool { return w.f.Status.Phase == phase }) {
		w.t.Fatalf("never in phase %s, but %s", phase, w.f.Status.Phase)
	}
}

// rest is how a model comes to rest: its phase, the annotations that are left, whether the host is on, and the UID of the Node, if it is there.
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
	r := rest{phase: w.f.Status.Phase, on: w.f.Host.PoweredOn, over: over}
	var left []string
	for _, step := range steps {
		if w.f.Machine.Steps[step] {
			left = append(left, string(step))
		}
	}
	r.left = strings.Join(left, ",")
	if w.f.Node.State == NodeFound {
		r.node = string(w.f.Node.Node.UID)
	}
	return r
}

// TestStepsAreTakenInTheOneSafeOrder: whatever the set of steps, they are taken in the one safe order, each annotation is removed when its step is
// done, and nothing else is done.
func TestStepsAreTakenInTheOneSafeOrder(t *testing.T) {
	const off, del, on = v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn
	held, gone := rest{phase: v1alpha1.Holding, node: "node-1"}, rest{phase: v1alpha1.Holding}
	same, fresh := rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}, rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}
	for _, tt := range []struct {
		until v1alpha1.Step
		asked []v1alpha1.Step
		plain bool
		want  rest
	}{
		{want: held},
		{asked: []v1alpha1.Step{off}, want: held},
		{asked: []v1alpha1.Step{off, del}, want: gone},
		{asked: []v1alpha1.Step{del}, want: gone},
		{asked: []v1alpha1.Step{off, on}, want: same},
		{asked: []v1alpha1.Step{on}, want: same},
		{asked: []v1alpha1.Step{off, del, on}, want: fresh},
		{plain: true, want: fresh},
		{asked: []v1alpha1.Step{off}, plain: true, want: fresh},
		{asked: []v1alpha1.Step{on}, plain: true, want: fresh},
		{until: del, want: gone},
		{until: del, asked: []v1alpha1.Step{off, del}, want: gone},
		{until: del, asked: []v1alpha1.Step{on}, want: fresh},
	} {
		t.Run(fmt.Sprintf("%s %v %t", tt.until, tt.asked, tt.plain), func(t *testing.T) {
			w := stepModel(t, tt.asked...)
			w.f.Machine.AsksFull = tt.plain
			w.f.Spec.Until = cmp.Or(tt.until, v1alpha1.StepPowerOff)
			if got := w.rest(); got != tt.want || w.cycles != 1 {
				t.Errorf("comes to rest as %+v after %d cycles, want %+v", got, w.cycles, tt.want)
			}
			if w.f.Machine.AsksFull {
				t.Error("the annotation for all is left")
			}
		})
	}
}

// TestMoreOfAHeldHost: a person has had a host switched off, and asks for more later. What is missing is done, in order, the host is not cycled
// again, and the time in between does not count.
func TestMoreOfAHeldHost(t *testing.T) {
	fresh := rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}
	for name, tt := range map[string]struct {
		more func(*model)
		want rest
	}{
		"all that is left": {func(w *model) { w.f.Machine.AsksFull = true }, fresh},
		"one after the other": {func(w *model) {
			w.ask(v1alpha1.StepDelete)
			if got := w.rest(); got != (rest{phase: v1alpha1.Holding}) {
				w.t.Fatalf("after Delete, it comes to rest as %+v", got)
			}
			w.ask(v1alpha1.StepPowerOn)
		}, fresh},
		"PowerOff again, and PowerOn": {func(w *model) { w.ask(v1alpha1.StepPowerOff, v1alpha1.StepPowerOn) }, rest{phase: v1alpha1.Succeeded, on: true, node: "node-1", over: true}},
		"a day later, and the workload cluster answers late": {func(w *model) {
			w.goOn(24 * time.Hour)
			node := w.f.Node
			nodeUnreadable(&w.f)
			w.ask(v1alpha1.StepDelete)
			w.goOn(isolateTimeout - 10*time.Second)
			w.f.Node = node
		}, rest{phase: v1alpha1.Holding}},
		"while it is paused": {func(w *model) {
			obstacleIs(v1alpha1.ReasonHostPaused)(&w.f)
			w.ask(v1alpha1.StepDelete, v1alpha1.StepPowerOn)
			w.goOn(5 * time.Hour)
			if !w.f.Host.Key || w.f.Status.HoldingSince == nil {
				w.t.Fatalf("in phase %s the host is released", w.f.Status.Phase)
			}
			w.f.Host.Obstacle = ""
		}, fresh},
		"and the Machine could not be read when it went off": {func(w *model) {
			w.f.Status.Phase, w.f.Status.HoldingSince = v1alpha1.Fenced, nil
			w.f.MachineUnreadable = "cannot be read"
			w.goOn(3 * time.Minute)
			if w.f.MachineUnreadable = ""; w.f.Status.Phase != v1alpha1.Holding {
				w.t.Fatalf("in phase %s", w.f.Status.Phase)
			}
			w.ask(v1alpha1.StepDelete)
		}, rest{phase: v1alpha1.Holding}},
	} {
		t.Run(name, func(t *testing.T) {
			w := stepModel(t, v1alpha1.StepPowerOff)
			if got := w.rest(); got != (rest{phase: v1alpha1.Holding, node: "node-1"}) {
				t.Fatalf("it comes to rest as %+v", got)
			}
			tt.more(w)
			if got := w.rest(); got != tt.want || w.cycles != 1 {
				t.Errorf("it comes to rest as %+v after %d cycles, want %+v", got, w.cycles, tt.want)
			}
		})
	}
}
