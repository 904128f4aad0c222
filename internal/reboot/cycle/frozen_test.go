package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func playUntil(t *testing.T, w *model, phase v1alpha1.Phase) {
	t.Helper()
	for range 2000 {
		if w.request.status.Phase == phase {
			return
		}
		if _, busy := w.step("step"); !busy {
			w.advance(time.Second)
		} else {
			w.advance(0)
		}
	}
	t.Fatalf("never in phase %s, but %s", phase, w.request.status.Phase)
}

// A person keeps the host off by spec.online in a cycle of single steps. A failed read of the Machine must not end it.
func TestUnreadableMachineEndsWaitForPerson(t *testing.T) {
	f := in(v1alpha1.PoweringOn, asking(v1alpha1.StepPowerOn), off, userOff)
	if f = settled(f); f.Status.SuspendedSince == nil {
		t.Fatal("it does not wait")
	}
	if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase != v1alpha1.PoweringOn {
		t.Fatalf("seen: %s", d)
	}
	machineUnreadable(&f)
	if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase != v1alpha1.PoweringOn || d.Status.SuspendedSince == nil {
		t.Errorf("one look that fails ends the wait for a person: %s", d)
	}
}

// A person has the host switched off. While it is off, the Machine cannot be read for a while. Then the person asks for Delete.
func TestUnreadableMachineSwallowsDelete(t *testing.T) {
	w := stepModel(t, v1alpha1.StepPowerOff)
	playUntil(t, w, v1alpha1.Fenced)
	w.unreadable = true
	w.goOn(3 * time.Minute)
	w.unreadable = false
	if got := w.rest(); got.phase != v1alpha1.Holding || got.node != "node-1" {
		t.Fatalf("it comes to rest as %+v", got)
	}
	w.ask(v1alpha1.StepDelete)
	if got := w.rest(); got.left == "" && got.node == "node-1" {
		t.Errorf("the annotation Delete goes as if it had been done, and the Node is there: %+v", got)
	}
}

// The clock of an unavailable host must stop while it is available and the cycle waits for others.
func TestUnavailableClockRunsOn(t *testing.T) {
	f := in(v1alpha1.Pending, on, obstacleIs(v1alpha1.ReasonHostNotProvisioned))
	f.Status = Decide(f, noon.Add(time.Minute)).Status
	f.Host.Obstacle = ""
	throttled(&f)
	f.Status = Decide(f, noon.Add(2*time.Minute)).Status
	f.Host.Obstacle = v1alpha1.ReasonHostNotProvisioned
	if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase.Ended() {
		t.Errorf("the host has no time: %s", d)
	}
}

// In Restoring, the Machine could not be read for the whole time the Node may take: nothing was tried.
func TestClocksWithoutMachine(t *testing.T) {
	f := in(v1alpha1.Restoring, func(f *Facts) { f.Node.Node.Labels = nil })
	g := f
	machineUnreadable(&g)
	d := Decide(g, noon.Add(nodeTimeout))
	f.Status = d.Status
	if d = Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Status.Phase.Ended() {
		t.Errorf("a Node that is back and Ready is given up, since the Machine could not be read: %s", d)
	}
}
