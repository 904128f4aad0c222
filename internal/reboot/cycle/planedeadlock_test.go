package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// inPlane returns why a machine of a control plane waits, as observecycles.go and package quorum do: while another machine of the plane is
// cycled and does not stand back, its own cycle does not begin. All the other machines are up.
func inPlane(f, other *Facts) string {
	if NeedsPlane(f) && KeepsWaiting(f.UID, &f.Status, other.UID, &other.Status) {
		return "Waiting for the other: only one machine of a control plane is cycled at a time"
	}
	return ""
}

// take lets both cycles go on for a time, a look a minute each. It reports whether one of them begins another attempt, or is over.
func take(a, b *Facts, from time.Time, during time.Duration) (from2 time.Time, moved bool) {
	both := [2]*Facts{a, b}
	before := [2]int32{a.Status.Attempt, b.Status.Attempt}
	for after := time.Duration(0); after < during; after += time.Minute {
		for i, f := range both {
			for range 5 {
				f.Throttled = inPlane(f, both[1-i])
				d := Decide(*f, from.Add(after))
				if !d.Changed {
					break
				}
				f.Status = d.Status
			}
			if f.Status.Attempt > before[i] || f.Status.Phase.Ended() {
				return from.Add(after), true
			}
		}
	}
	return from.Add(during), false
}

// TestTwoCyclesOfAControlPlaneDoNotWaitForEachOther: a cycle stands back, so one of another machine of the control plane begins. Its first attempt
// fails while the machine of the first one is unhealthy again. Both want another attempt, and one of them has to begin it.
func TestTwoCyclesOfAControlPlaneDoNotWaitForEachOther(t *testing.T) {
	for name, stoodBack := range map[string]func(t *testing.T) Facts{
		"its machine stayed Unknown, and is unhealthy now": func(t *testing.T) Facts {
			t.Helper()
			f := undecidedForTooLong(t)
			f.Machine.Undecided, f.Machine.Sick = false, true
			return f
		},
		"a pause is over": func(*testing.T) Facts {
			f := in(v1alpha1.CoolingDown)
			f.Machine.ByHealthCheck, f.Machine.Sick, f.Status.Attempt = true, true, 1
			f.Paused = "MachineHealthCheck has the cluster.x-k8s.io/paused annotation"
			f = carriedOn(f, noon.Time, 30*time.Minute)
			f.Paused = ""
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := stoodBack(t)
			if a.Status.PausedSince == nil || !StandsBack(&a.Status) {
				t.Fatalf("it does not stand back: %+v", a.Status)
			}
			// Meanwhile the other one has begun, and its Node has not come back.
			b := in(v1alpha1.CoolingDown)
			b.UID, b.Machine.ByHealthCheck, b.Machine.Sick, b.Status.Attempt = "r-2", true, true, 1
			b.Status.NextAttemptAt = new(metav1.NewTime(noon.Add(31 * time.Minute)))
			a.Spec.RetryLimit, b.Spec.RetryLimit = new(int32(2)), new(int32(2))
			// If B looked while A still stood back, B would begin. Here A looks first.
			at, moved := take(&a, &b, noon.Add(30*time.Minute), 24*time.Hour)
			if !moved {
				t.Errorf("at %s both wait for each other: A is %s: %q; B is %s: %q", at.Format("Mon 15:04"), a.Status.Phase, messageOf(a.Status), b.Status.Phase, messageOf(b.Status))
			}
		})
	}
}
