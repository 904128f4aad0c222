package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// undecidedForTooLong is a cycle whose Node is back, and whose machine still has the verdict Unknown when nodeTimeoutSeconds are over: a
// condition with a longer timeout matches, for example.
func undecidedForTooLong(t *testing.T) Facts {
	t.Helper()
	f := in(v1alpha1.WaitingForMachine)
	f.Machine.ByHealthCheck, f.Machine.Sick, f.Machine.Undecided = true, false, true
	f.Status.Attempt = 1
	f = carriedOn(f, noon.Time, 30*time.Minute)
	if f.Status.Phase != v1alpha1.WaitingForMachine {
		t.Fatalf("it is %s: %q", f.Status.Phase, messageOf(f.Status))
	}
	return f
}

// carriedOn looks once a minute, and carries out what concerns the request and the mark for the owner.
func carriedOn(f Facts, from time.Time, during time.Duration) Facts {
	for after := time.Duration(0); after < during; {
		switch d := Decide(f, from.Add(after)); {
		case d.Changed:
			f.Status = d.Status
		case d.Action == RemoveFinalizer:
			f.Finalizer = false
		case d.Action == MarkForOwner:
			f.Machine.Marked = true
		default:
			after += time.Minute
		}
	}
	return f
}

// TestUnknownProvesNothing: what happens once the machine has a verdict, or nobody waits for one any more.
func TestUnknownProvesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(f *Facts)
		want    v1alpha1.Phase
	}{
		"it is healthy":            {func(f *Facts) { f.Machine.Undecided, f.Machine.Healthy = false, true }, v1alpha1.Succeeded},
		"the request is withdrawn": {func(f *Facts) { f.Deleting = true }, v1alpha1.Succeeded},
		"it stays Unknown":         {func(*Facts) {}, v1alpha1.WaitingForMachine},
		"it stays Unknown during a pause, and afterwards": {func(f *Facts) {
			f.Paused = "Cluster spec.paused is set to true"
			*f = carriedOn(*f, noon.Add(time.Hour), time.Hour)
			f.Paused = ""
		}, v1alpha1.WaitingForMachine},
	} {
		t.Run(name, func(t *testing.T) {
			f := undecidedForTooLong(t)
			tt.happens(&f)
			if f = carriedOn(f, noon.Add(3*time.Hour), time.Hour); f.Status.Phase != tt.want {
				t.Errorf("it is %s, want %s: %q", f.Status.Phase, tt.want, messageOf(f.Status))
			}
		})
	}
	f := undecidedForTooLong(t)
	f.Machine.Undecided, f.Machine.Sick = false, true
	if f = carriedOn(f, noon.Add(3*time.Hour), time.Hour); f.Status.Attempt < 2 && !f.Machine.Marked && f.Status.Phase == v1alpha1.WaitingForMachine {
		t.Errorf("the machine is unhealthy, and nothing follows: %s, %q", f.Status.Phase, messageOf(f.Status))
	}
}

// TestNobodyWaitsForAVerdict: a request of a person, and other machines of a control plane, do not wait for a cycle whose machine stays Unknown. While
// it stands back, nothing is written.
func TestNobodyWaitsForAVerdict(t *testing.T) {
	f := undecidedForTooLong(t)
	if !StandsBack(&f.Status) {
		t.Error("others wait for it")
	}
	other := Facts{Siblings: []v1alpha1.RebootRemediation{{Status: f.Status}}}
	if other.atWork() != nil {
		t.Error("another request for the same machine waits for it")
	}
	if d := Decide(f, noon.Add(24*time.Hour)); d.Changed || d.Action != Nothing {
		t.Errorf("it is written again and again: %+v", d)
	}
}
