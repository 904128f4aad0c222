package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestMoreOfAHostThatIsPaused: a person has a host switched off, pauses it, and asks for the other steps before unpausing it. They are
// done after the pause, in order, and the host does not come on before.
func TestMoreOfAHostThatIsPaused(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
	w.rest()
	w.host.paused = true
	w.touchHost()
	w.ask(v1alpha1.StepDelete, v1alpha1.StepPowerOn)
	w.goOn(5 * time.Hour)
	if _, held := w.host.keys[simKey]; !held || w.request.status.HoldingSince == nil {
		t.Fatalf("in phase %s the host is released: %+v", w.request.status.Phase, w.host)
	}
	w.host.paused = false
	w.touchHost()
	if got := w.rest(); got != (rest{phase: v1alpha1.Succeeded, on: true, node: "node-2", over: true}) {
		t.Errorf("it ends as %+v", got)
	}
}

// TestHostThatIsPausedAtOnce: a person wants the host off, and its Node out of service, and pauses the host in between. It was off for that person, so
// it does not come on because its proof does not come back in time.
func TestHostThatIsPausedAtOnce(t *testing.T) {
	f := in(v1alpha1.Isolating, off, until(v1alpha1.StepDelete), obstacleIs(v1alpha1.ReasonHostPaused))
	f.Status.HoldingSince = nil
	for _, after := range []time.Duration{time.Minute, 2 * time.Minute, time.Hour, 2 * time.Hour} {
		f.Status = Decide(f, noon.Add(after)).Status
	}
	if f.Status.Phase.Ended() {
		t.Errorf("it is %s", f.Status.Phase)
	}
}
