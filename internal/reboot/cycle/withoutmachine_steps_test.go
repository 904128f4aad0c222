package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// If the Machine cannot be read when the time is up, single steps of a person fail, but a full cycle stands down.
func TestSingleStepFailsWithoutMachine(t *testing.T) {
	by := requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation})
	proof := []change{keyed, keySeen, seenOn}
	whole := Decide(in(v1alpha1.PoweringOff, append(proof, machineUnreadable)...), noon.Add(powerOffTimeout))
	step := Decide(in(v1alpha1.PoweringOff, append(append([]change{by, asking(v1alpha1.StepPowerOff)}, proof...), machineUnreadable)...), noon.Add(powerOffTimeout))
	if whole.Status.Phase != step.Status.Phase {
		t.Errorf("a full cycle: %s; a single step: %s", whole, step)
	}
}

// A machine that stays sick says nothing against its host: it was off, came on, and its Node came back Ready.
func TestMachineUnhealthyMarksHost(t *testing.T) {
	f := in(v1alpha1.WaitingForMachine, lastAttempt)
	f.Status = Decide(f, noon.Add(nodeTimeout)).Status
	if d := Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Action == MarkHost {
		t.Errorf("the host is marked, though it was off, came on, and its Node came back Ready: %s", messageOf(f.Status))
	}
}
