package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestHostIsBeingDeleted: a person deletes the BareMetalHost of a sick machine. It has the finalizer of its operator, so it is being
// deleted before it is gone. A health check asked, so the machine must be replaced: else it stays sick forever.
func TestHostIsBeingDeleted(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.PoweringOn, v1alpha1.CoolingDown} {
		t.Run(string(phase), func(t *testing.T) {
			f := in(phase, sick, func(f *Facts) { f.Host.Deleting = true })
			now, marked := noon.Time, false
			for i := range 400 {
				if i == 200 {
					// Its operator is done, and it is gone.
					f.Host = HostFacts{Missing: "The host h1 does not exist", None: true}
				}
				d := Decide(f, now)
				switch {
				case d.Changed:
					f.Status = d.Status
				case d.Action == RemoveKey:
					f.Host.Key, f.Host.Probe = false, false
				case d.Action == MarkHost:
					f.Host.Unhealthy, f.Host.UnhealthyByUs = true, true
				case d.Action == MarkForOwner:
					f.Machine.Marked, marked = true, true
				case d.Action == RemoveFinalizer:
					f.Finalizer = false
				case d.Action != Nothing:
					nodeGone(&f)
				default:
					now = now.Add(time.Minute)
				}
			}
			if !marked {
				t.Errorf("the machine has no host any more and is sick, and its owner is never asked: %s, %q", f.Status.Phase, messageOf(f.Status))
			}
		})
	}
}

// TestHostMadeAnewUnderAPause: an attempt stood down under a pause, before it had reached the host. Meanwhile the BareMetalHost is
// deleted and made anew with the same name, for the same machine.
func TestHostMadeAnewUnderAPause(t *testing.T) {
	f := in(v1alpha1.PoweringOff, sick, func(f *Facts) { f.Paused = "Cluster spec.paused is set to true" })
	for range 5 {
		if d := Decide(f, noon.Time); d.Changed {
			f.Status = d.Status
		}
	}
	if f.Status.Phase != v1alpha1.CoolingDown || f.Status.Attempt != 0 {
		t.Fatalf("it stands down as %s", f.Status.Phase)
	}
	f.Paused, f.Host.UID = "", "h-2"
	now, begins, owner := noon.Time, false, false
	for range 100 {
		d := Decide(f, now)
		switch {
		case d.Changed:
			begins = begins || Begins(&f, d)
			f.Status = d.Status
		case d.Action == MarkForOwner:
			f.Machine.Marked, owner = true, true
		case d.Action == RemoveFinalizer:
			f.Finalizer = false
		default:
			now = now.Add(time.Minute)
		}
	}
	if !begins && !owner {
		t.Errorf("the machine stays sick: nothing was tried on its new host, and its owner is not asked: %s, %q", f.Status.Phase, messageOf(f.Status))
	}
}
