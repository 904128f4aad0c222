package cycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestLateStep: a step that is asked for after the cycle has passed it is not done, and its annotation stays: it is for another cycle.
// If a step that was done is asked for again, that is another cycle, too.
func TestLateStep(t *testing.T) {
	const off, del, on = v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn
	for name, tt := range map[string]struct {
		asked []v1alpha1.Step
		plain bool
		at    v1alpha1.Phase
		late  v1alpha1.Step
		left  string
	}{
		"Delete, on the way up":             {asked: []v1alpha1.Step{off, on}, at: v1alpha1.PoweringOn, late: del, left: "Delete"},
		"Delete, while the Node comes":      {asked: []v1alpha1.Step{off, on}, at: v1alpha1.WaitingForNode, late: del, left: "Delete"},
		"PowerOff, while the Node comes":    {asked: []v1alpha1.Step{off, del, on}, at: v1alpha1.WaitingForNode, late: off, left: "PowerOff"},
		"Delete again, in a full cycle":     {plain: true, at: v1alpha1.WaitingForNode, late: del, left: "Delete"},
		"PowerOff beside, in a full cycle":  {plain: true, at: v1alpha1.WaitingForNode, late: off, left: "PowerOff"},
		"PowerOn again: the host is on":     {asked: []v1alpha1.Step{off, on}, at: v1alpha1.WaitingForNode, late: on},
		"PowerOff in time, in a full cycle": {plain: true, at: v1alpha1.PoweringOff, late: off},
	} {
		t.Run(name, func(t *testing.T) {
			w := stepModel(t, tt.asked...)
			w.machine.plain = tt.plain
			w.operator.onDelay, w.kubelet.bootTime = time.Minute, time.Minute
			for range 600 {
				if w.request.status.Phase == tt.at {
					break
				}
				w.run()
				w.advance(time.Second)
			}
			if w.run(); w.request.status.Phase != tt.at {
				t.Fatalf("it is in phase %s", w.request.status.Phase)
			}
			w.ask(tt.late)
			got := w.rest()
			node := "node-1"
			if tt.plain || len(tt.asked) == 3 {
				node = "node-2"
			}
			if want := (rest{phase: v1alpha1.Succeeded, left: tt.left, on: true, node: node, over: true}); got != want {
				t.Errorf("comes to rest as %+v, want %+v", got, want)
			}
		})
	}
}

// TestAskedIsRecorded: the steps that are asked for when the host is released are stored with the release. So the cycle knows which
// annotations came in time, even if the host is on before they have gone.
func TestAskedIsRecorded(t *testing.T) {
	const off, del = v1alpha1.StepPowerOff, v1alpha1.StepDelete
	f := in(v1alpha1.Fenced, asking(off, v1alpha1.StepPowerOn))
	f.Status = Decide(f, noon.Time).Status
	if diff := cmp.Diff([]v1alpha1.Step{off, v1alpha1.StepPowerOn}, f.Status.AskedSteps); diff != "" || f.Status.Phase != v1alpha1.PoweringOn {
		t.Fatalf("in phase %s is recorded (-want +got):\n%s", f.Status.Phase, diff)
	}
	f = in(v1alpha1.WaitingForNode, asking(off, del), func(f *Facts) { f.Status.AskedSteps = []v1alpha1.Step{off} })
	d := Decide(f, noon.Time)
	if d.Action != DropAsked || len(d.Done) != 1 || d.Done[0] != off {
		t.Errorf("%s %v", d.Action, d.Done)
	}
	delete(f.Machine.Steps, off)
	if d = Decide(f, noon.Time); !d.Changed || len(d.Status.AskedSteps) != 0 {
		t.Errorf("after it has gone: %s, %v", d, d.Status.AskedSteps)
	}
	f = in(v1alpha1.Succeeded, asking(off, del), func(f *Facts) { f.Machine.AsksFull = true })
	if d = Decide(f, noon.Time); d.Action != DropAll || len(d.Done) != 0 {
		t.Errorf("at the end: %s %v", d.Action, d.Done)
	}
}

// TestAskedBetweenTwoAttempts: what a person asks for between two attempts is for the next attempt. The last attempt also switched the
// host on, but must not remove that annotation: then the host would be switched off and stay off.
func TestAskedBetweenTwoAttempts(t *testing.T) {
	f := in(v1alpha1.CoolingDown, asking(v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn))
	if d := Decide(f, noon.Time); d.Action == DropAsked {
		t.Errorf("between two attempts it takes %v away", d.Done)
	}
}
