package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestNeverReady simulates a Node that registers and never becomes Ready: the next attempt follows, and then the owner; a record
// decides by itself.
func TestNeverReady(t *testing.T) {
	for name, tt := range map[string]struct {
		ask      event
		attempts int32
		marked   bool
	}{
		"a health check": {func(*model) {}, 2, true},
		"a record":       {(*model).recordAsks, 1, false},
	} {
		for _, isolation := range []v1alpha1.Isolation{v1alpha1.DeleteNode, v1alpha1.OutOfServiceTaint} {
			w := newModel()
			w.kubelet.unready, w.request.spec.Isolation = true, isolation
			tt.ask(w)
			s := w.ended(t, 6*time.Hour)
			if s.Phase != v1alpha1.Failed || reasonOf(s, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonNodeTimedOut || s.Attempt != tt.attempts || w.machine.marked != tt.marked {
				t.Errorf("%s, %s: ended as %s, %+v, in attempt %d; marked %t", name, isolation, s.Phase, s.Conditions, s.Attempt, w.machine.marked)
			}
		}
	}
}

// TestReadyLate: a Node that is slow to become Ready is cycled only once.
func TestReadyLate(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.unready = t, true
	w.goOn(nodeTimeout - time.Minute)
	if w.request.status.Phase != v1alpha1.Restoring {
		t.Fatalf("in phase %s", w.request.status.Phase)
	}
	w.kubelet.unready = false
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded || w.seen.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.seen.cycles)
	}
}

// TestStillSick simulates a request for a machine that is called sick although its Node is Ready.
func TestStillSick(t *testing.T) {
	w := newModel()
	w.machine.sick = true
	s := w.ended(t, 6*time.Hour)
	if s.Phase != v1alpha1.Failed || reasonOf(s, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonMachineUnhealthy || s.Attempt != 2 || !w.machine.marked {
		t.Errorf("ended as %s, %+v, in attempt %d; marked %t", s.Phase, s.Conditions, s.Attempt, w.machine.marked)
	}

	w = newModel()
	w.t, w.machine.sick = t, true
	w.goOn(10 * time.Minute)
	if w.request.status.Phase != v1alpha1.WaitingForMachine || w.request.status.Node.OutOfService {
		t.Fatalf("in phase %s, with the Node %+v", w.request.status.Phase, w.request.status.Node)
	}
	w.machine.sick = false
	if s := w.ended(t, time.Minute); s.Phase != v1alpha1.Succeeded || w.seen.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.seen.cycles)
	}
}

// TestPassingStates: that a host is paused for a day, in any phase, is no reason to replace its machine.
func TestPassingStates(t *testing.T) {
	for _, fault := range []string{"host is paused", "host is detached"} {
		for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Isolating, v1alpha1.PoweringOn} {
			w := newModel()
			w.t, w.request.spec.RetryLimit = t, new(int32(0))
			for range 600 {
				if w.request.status.Phase == phase {
					break
				}
				if _, busy := w.step("step"); !busy {
					w.advance(time.Second)
				}
			}
			faults[fault](w)
			w.goOn(24 * time.Hour)
			if s := w.request.status; s.Phase.Ended() || w.machine.marked {
				t.Errorf("%s in phase %s: ended as %s, %+v; marked %t", fault, phase, s.Phase, s.Conditions, w.machine.marked)
				continue
			}
			w.host.paused, w.host.detached = false, false
			w.touchHost()
			if s := w.ended(t, 2*time.Hour); s.Phase != v1alpha1.Succeeded {
				t.Errorf("%s in phase %s: ended as %s, %+v", fault, phase, s.Phase, s.Conditions)
			}
		}
	}
}

// TestShortPowerOffTimeout: a host that was off already is proven off, however short the timeout for going off is.
func TestShortPowerOffTimeout(t *testing.T) {
	w := newModel()
	w.t, w.request.spec.PowerOffTimeoutSeconds = t, new(int32(1))
	w.host.keys[simOther] = "theirs"
	w.touchHost()
	w.advance(2 * time.Minute)
	w.goOn(5 * time.Minute)
	doings["other lets go"](w)
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded || s.Attempt != 1 {
		t.Errorf("ended as %s in attempt %d: %+v", s.Phase, s.Attempt, s.Conditions)
	}
}
