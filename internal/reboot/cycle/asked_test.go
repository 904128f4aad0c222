package cycle

import (
	"testing"
	"time"

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
