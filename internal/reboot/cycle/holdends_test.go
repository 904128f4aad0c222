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

// TestHoldEndsWithTheKey: once a host is released, nobody keeps it off any more. If the person then withdraws the request, the cycle
// ends, and other cycles of the machine or of its control plane do not wait for it forever.
func TestHoldEndsWithTheKey(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
	w.rest()
	w.operator.blind = true
	w.advance(5 * time.Minute)
	w.personAsks()
	w.runUntil(v1alpha1.CoolingDown)
	if w.request.status.HoldingSince != nil {
		t.Errorf("between two attempts the host is said to be held since %s", w.request.status.HoldingSince)
	}
	w.machine.plain, w.operator.blind = false, false
	if !w.goOn(time.Hour) || w.request.status.Phase != v1alpha1.Aborted {
		t.Errorf("taken back, it is in phase %s: %s", w.request.status.Phase, messageOf(w.request.status))
	}
}

// TestNoMorePowerOffBetweenTwoAttempts: without PowerOff nothing is done, so between two attempts the cycle ends. Otherwise others
// would wait forever.
func TestNoMorePowerOffBetweenTwoAttempts(t *testing.T) {
	const cooling, aborted, withdrawn = v1alpha1.CoolingDown, v1alpha1.Aborted, v1alpha1.ReasonWithdrawn
	rest := asking(v1alpha1.StepDelete, v1alpha1.StepPowerOn)
	check(t, []row{
		{name: "it is the end", facts: in(cooling, rest, untouched), want: stores(aborted, withdrawn)},
		{name: "as without any", facts: in(cooling, asking(), untouched), want: stores(aborted, withdrawn)},
		{name: "the Node has its time", facts: in(cooling, rest, nodeGone), want: waits(cooling, CoolDown+nodeTimeout)},
		{name: "and no more", facts: in(cooling, rest, nodeGone), after: CoolDown + nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "with it, the next one begins", facts: in(cooling, asking(v1alpha1.StepPowerOff), untouched), after: CoolDown, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "what nobody can read was not taken back", facts: in(cooling, rest, untouched, func(f *Facts) { f.MachineUnreadable = "it cannot be read" }), want: waits(cooling, lookAgain)},
	})
}
