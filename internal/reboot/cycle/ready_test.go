package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestNeverReady simulates a Node that registers and never becomes Ready: the next attempt follows, and then the owner; a record
// decides by itself.
func TestNeverReady(t *testing.T) {
	for _, isolation := range []v1alpha1.Isolation{v1alpha1.DeleteNode, v1alpha1.OutOfServiceTaint} {
		w := newModel()
		w.kubelet.unready, w.request.spec.Isolation = true, isolation
		if s := w.ended(t, 6*time.Hour); s.Phase != v1alpha1.Failed || s.Outcome != v1alpha1.ReasonNodeTimedOut || w.seen.cycles != 1 {
			t.Errorf("%s: ended as %s, %+v, after %d cycles", isolation, s.Phase, s.Conditions, w.seen.cycles)
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

// TestPassingStates: that a host is paused for a day, in any phase, says nothing against it. Where it could not be proven off for that, the cycle
// does not count.
func TestPassingStates(t *testing.T) {
	for _, fault := range []string{"host is paused", "host is detached"} {
		for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Isolating, v1alpha1.PoweringOn} {
			w := newModel()
			w.t = t
			if phase != v1alpha1.Pending {
				playUntil(t, w, phase)
			}
			begun := w.request.status.BeganAt != nil
			faults[fault](w)
			w.goOn(24 * time.Hour)
			s := w.request.status
			if aborted := begun && phase != v1alpha1.PoweringOn; s.Phase.Ended() != aborted || s.Phase == v1alpha1.Failed || w.host.unhealthy != "" {
				t.Errorf("%s in phase %s: it is in phase %s, %+v; the host is marked %q", fault, phase, s.Phase, s.Conditions, w.host.unhealthy)
			}
			w.host.paused, w.host.detached = false, false
			w.touchHost()
			w.goOn(2 * time.Hour)
			if s := w.request.status; s.Phase != v1alpha1.Succeeded && !begun {
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
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded {
		t.Errorf("ended as %s: %+v", s.Phase, s.Conditions)
	}
}
