package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// The last attempt fails under a pause: the owner must not replace the machine, which would wipe its disks.
func TestOwnerMarkedUnderPause(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.dead = t, true
	w.request.spec.RetryLimit = new(int32(0))
	playUntil(t, w, v1alpha1.WaitingForNode)
	w.paused = true // for example skip-remediation on the Machine, or an upgrade
	w.goOn(24 * time.Hour)
	if w.machine.marked {
		t.Errorf("under a pause the owner is asked to replace the machine, in phase %s", w.request.status.Phase)
	}
}

// The same, but the attempt fails because the host does not go off.
func TestOwnerMarkedUnderPauseAfterPowerOff(t *testing.T) {
	w := newModel()
	w.t = t
	w.request.spec.RetryLimit = new(int32(0))
	w.operator.failing = true
	playUntil(t, w, v1alpha1.PoweringOff)
	w.goOn(time.Minute)
	w.paused = true
	w.goOn(24 * time.Hour)
	if w.machine.marked {
		t.Errorf("under a pause the owner is asked to replace the machine, in phase %s", w.request.status.Phase)
	}
}

// A person keeps the host off by spec.online in a cycle of single steps. A failed read of the Machine must not end it.
func TestUnreadableMachineEndsWaitForPerson(t *testing.T) {
	f := in(v1alpha1.PoweringOn, requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}), asking(v1alpha1.StepPowerOn), off, userOff)
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

// A person asks for a full cycle, and for PowerOff too. When the host is off, the Machine cannot be read.
func TestUnreadableMachineLeavesPowerOffForAnotherCycle(t *testing.T) {
	for _, unreadable := range []bool{false, true} {
		w := stepModel(t, v1alpha1.StepPowerOff)
		w.machine.plain = true
		w.seen.stepwise = false
		playUntil(t, w, v1alpha1.Fenced)
		if unreadable {
			w.unreadable = true
			w.goOn(3 * time.Minute)
			w.unreadable = false
		}
		got := w.rest()
		t.Logf("unreadable %t: %+v", unreadable, got)
		if got.left != "" {
			t.Errorf("unreadable %t: PowerOff is left, and has the host switched off once more, and kept off: %+v", unreadable, got)
		}
	}
}

// An attempt stands down because the host is paused. The person withdraws PowerOff, and leaves PowerOn. Nothing may be switched
// off.
func TestAgainThoughNotAsked(t *testing.T) {
	by := requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation})
	f := in(v1alpha1.PoweringOff, by, asking(v1alpha1.StepPowerOff, v1alpha1.StepPowerOn), keyed, keySeen, seenOn, obstacleIs(v1alpha1.ReasonHostPaused))
	d := Decide(f, noon.Add(powerOffTimeout+proofTime))
	if d.Status.Phase != v1alpha1.CoolingDown || d.Status.Attempt != 0 {
		t.Fatalf("it does not stand down: %s", d)
	}
	f.Status = d.Status
	unkeyed(&f)
	asking(v1alpha1.StepPowerOn)(&f)
	f.Host.Obstacle = ""
	if d = Decide(f, noon.Add(time.Hour)); d.Status.Phase == v1alpha1.PoweringOff {
		t.Errorf("the host is switched off, though nobody asks for PowerOff: %s", d)
	}
}

// The clock of an unavailable host must stop while it is available and the cycle waits for others.
func TestUnavailableClockRunsOn(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.CoolingDown} {
		f := in(phase, on, obstacleIs(v1alpha1.ReasonHostNotProvisioned))
		f.Machine.ByHealthCheck = true
		f.Status = Decide(f, noon.Add(CoolDown)).Status
		f.Host.Obstacle = ""
		throttled(&f)
		f.Status = Decide(f, noon.Add(2*time.Minute)).Status
		f.Host.Obstacle = v1alpha1.ReasonHostNotProvisioned
		if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase.Ended() {
			t.Errorf("%s: the host has no time: %s", phase, d)
		}
	}
}

// In Restoring, the Machine could not be read for the whole time the Node may take: nothing was tried.
func TestClocksWithoutMachine(t *testing.T) {
	f := in(v1alpha1.Restoring, func(f *Facts) { f.Node.Node.Labels = nil })
	f.Machine.ByHealthCheck, f.Machine.Sick = true, true
	g := f
	machineUnreadable(&g)
	d := Decide(g, noon.Add(nodeTimeout))
	f.Status = d.Status
	if d = Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Changed && d.Status.Phase == v1alpha1.CoolingDown {
		t.Errorf("a Node that is back and Ready is taken away again, since the Machine could not be read: %s", d)
	}
	f = in(v1alpha1.WaitingForMachine)
	g = f
	machineUnreadable(&g)
	f.Status = Decide(g, noon.Add(nodeTimeout)).Status
	if d = Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Status.Phase == v1alpha1.CoolingDown {
		t.Logf("WaitingForMachine as well: %s", d)
	}
}

var _ = metav1.Now
