package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestUnknownProvesWhenTheTimeIsUp: the Node is back, and the verdict stays Unknown for longer than nodeTimeoutSeconds (10 minutes): a
// condition with a timeout of 30 minutes matches, or the workload cluster cannot be read. Then it is False. While the request stands, it must
// go on: nobody makes another one beside it.
func TestUnknownProvesWhenTheTimeIsUp(t *testing.T) {
	f := in(v1alpha1.WaitingForMachine)
	f.Machine.ByHealthCheck, f.Machine.Sick, f.Machine.Undecided = true, false, true
	f.Status.Attempt = 1
	run := func(now time.Time) (last Action) {
		for range maxSteps {
			d := Decide(f, now)
			switch {
			case d.Changed:
				f.Status = d.Status
				continue
			case d.Action == RemoveFinalizer:
				f.Finalizer = false
				continue
			}
			return d.Action
		}
		return last
	}
	for after := time.Duration(0); after < 30*time.Minute; after += time.Minute {
		run(noon.Add(after))
	}
	undecided := f.Status.Phase
	f.Machine.Undecided, f.Machine.Sick = false, true
	acted := false
	for after := 30 * time.Minute; after < 24*time.Hour; after += time.Minute {
		action := run(noon.Add(after))
		acted = acted || action != Nothing || f.Status.Attempt > 1
	}
	if !acted {
		t.Errorf("with an Unknown verdict it is %s; then the machine is called sick for a day, and the request does nothing: %s, %q",
			undecided, f.Status.Phase, messageOf(f.Status))
	}
}
