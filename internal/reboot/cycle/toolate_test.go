package cycle

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestFullCycleAskedForTooLate: reboot.metal3.io/PowerOn has let a host come on that was held. While its Node comes back, a person asks for a whole cycle
// by reboot.metal3.io. That comes too late for this cycle, so it stays, and asks for another one.
func TestFullCycleAskedForTooLate(t *testing.T) {
	f := in(v1alpha1.Restoring, func(f *Facts) { f.Spec.Until = v1alpha1.StepPowerOff })
	f.Machine.AsksFull = true
	ended := in(v1alpha1.Succeeded, func(f *Facts) { f.Spec.Until = v1alpha1.StepPowerOff })
	ended.Machine.AsksFull = true
	for _, facts := range []Facts{f, ended} {
		if d := Decide(facts, noon.Time); d.Action == DropFull {
			t.Errorf("in %s it removes what asks for another cycle", facts.Status.Phase)
		}
	}
}
