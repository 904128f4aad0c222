package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// While a health check is paused, nobody judges its machines: HealthCheckSucceeded does not change. In the simulation, that is
// machine.sick.

// The Node comes back, Ready, under a pause. The old verdict is still there.
func TestFrozenVerdictReplacesHealthyMachine(t *testing.T) {
	w := newModel()
	w.t = t
	w.request.spec.RetryLimit = new(int32(0))
	playUntil(t, w, v1alpha1.WaitingForNode)
	w.paused, w.machine.sick = true, true
	w.goOn(4 * time.Hour)
	s := w.request.status
	if w.machine.marked || w.host.unhealthy == probeOurs || s.Phase == v1alpha1.Failed {
		t.Errorf("the Node is Ready (%t), and under a pause nobody judges; ended as %s: %s; host marked %q, owner asked to replace the machine %t",
			Ready(w.workload.node), s.Phase, messageOf(s), w.host.unhealthy, w.machine.marked)
	}
}

// The same with one attempt left: it would begin the moment the pause ends, before anybody has judged the machine.
func TestFrozenVerdictCyclesHealthyMachine(t *testing.T) {
	w := newModel()
	w.t = t
	playUntil(t, w, v1alpha1.WaitingForNode)
	w.paused, w.machine.sick = true, true
	w.goOn(4 * time.Hour)
	w.paused = false
	w.goOn(time.Second)
	_, asked := w.host.keys[simKey]
	w.goOn(10 * time.Second)
	w.machine.sick = false // the verdict, seconds after the end of the pause
	w.goOn(time.Hour)
	if s := w.request.status; asked || w.seen.cycles != 1 {
		t.Errorf("a machine whose Node has been Ready for hours: our key is on its host a second after the pause (%t), and it is cycled %d times; %s in attempt %d", asked, w.seen.cycles, s.Phase, s.Attempt)
	}
}

// The same from Pending: the machine recovers under the pause.
func TestFrozenVerdictBegins(t *testing.T) {
	w := newModel()
	w.t, w.paused, w.machine.sick = t, true, true
	w.goOn(10 * time.Minute)
	w.recovers()
	w.goOn(time.Hour)
	if !Ready(w.workload.node) || w.request.status.Phase != v1alpha1.Pending {
		t.Fatalf("in phase %s", w.request.status.Phase)
	}
	w.paused = false
	w.goOn(time.Second)
	_, asked := w.host.keys[simKey]
	w.goOn(10 * time.Second)
	w.machine.sick = false
	w.goOn(time.Hour)
	if s := w.request.status; asked || w.seen.cycles > 0 {
		t.Errorf("a machine whose Node has been Ready for an hour: our key is on its host a second after the pause (%t), and it is cycled %d times; %s in attempt %d", asked, w.seen.cycles, s.Phase, s.Attempt)
	}
}

// HealthCheckSucceeded is Unknown, not False, while a condition matches but not yet for its timeout, as on a Node that has just registered.
// That proves nothing, yet the cycle ends as Succeeded when the time is up, and nothing follows.
func TestUnknownProves(t *testing.T) {
	asks := func(f *Facts) {
		f.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck}
		f.Machine.ByHealthCheck, f.Machine.Undecided = true, true
	}
	for _, phase := range []v1alpha1.Phase{v1alpha1.Restoring, v1alpha1.WaitingForMachine} {
		f := in(phase, asks)
		if f.Status.Node.Backup != nil {
			f.Node.Node.Labels = f.Status.Node.Backup.Labels
		}
		if d := Decide(f, noon.Add(time.Minute)); d.Status.Phase == v1alpha1.Succeeded {
			t.Errorf("%s: the machine is neither healthy nor sick, and the cycle has %s", phase, d)
		}
	}
	// After that, nothing more happens.
	f := in(v1alpha1.Succeeded, asks, noFinalizer)
	f.Machine.Sick = true
	if d := Decide(f, noon.Add(24*time.Hour)); !d.Changed && d.Action == Nothing && d.RecheckAt.IsZero() {
		t.Log("then it is called sick, and nothing follows any more: no attempt, no owner, no word")
	}
}
