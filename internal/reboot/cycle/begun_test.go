package cycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestBeginning: the record says that a cycle has begun before our key is set, and says so as long as it exists.
func TestBeginning(t *testing.T) {
	f := in(v1alpha1.Pending)
	var got []string
	for range 8 {
		d := Decide(f, noon.Time)
		step := string(d.Action)
		if d.Changed {
			step = string(d.Status.Phase)
			if d.Status.BeganAt != nil {
				step += ", begun"
			}
		}
		got = append(got, step)
		if f.Status = d.Status; d.Action == SetKey {
			break
		}
	}
	if diff := cmp.Diff([]string{"PoweringOff", "PoweringOff, begun", "SetKey"}, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestNotBegun: what stops a cycle before our key is set leaves it without a beginning.
func TestNotBegun(t *testing.T) {
	outcomes := map[string]v1alpha1.Outcome{
		"host is gone": v1alpha1.ReasonHostUnavailable, "another's host": v1alpha1.ReasonHostUnavailable, "not fenceable": v1alpha1.ReasonHostUnavailable,
		"host is deleted": v1alpha1.ReasonHostUnavailable, "machine is gone": v1alpha1.ReasonMachineGone, "withdrawn": v1alpha1.ReasonWithdrawn,
	}
	for name, stop := range map[string]change{
		"others come first":   func(f *Facts) { f.Throttled = "wait" },
		"switched off":        func(f *Facts) { f.Host.Online, f.Host.PoweredOn = false, false },
		"kept off by another": others,
		"host is paused":      obstacleIs(v1alpha1.ReasonHostPaused),
		"host is gone":        func(f *Facts) { f.Host = HostFacts{Missing: "gone"} },
		"another's host":      func(f *Facts) { f.Host.Ours = false },
		"not fenceable":       func(f *Facts) { f.Host.Fenceable = false },
		"host is deleted":     func(f *Facts) { f.Host.Deleting = true },
		"machine is gone":     machineGone,
		"withdrawn":           deleting,
	} {
		t.Run(name, func(t *testing.T) {
			f := in(v1alpha1.PoweringOff, unbegun, stop)
			now := noon.Time
			for range 100 {
				d := Decide(f, now)
				if d.Action == SetKey || d.Status.BeganAt != nil {
					t.Fatalf("begins in phase %s", d.Status.Phase)
				}
				if d.Action == RemoveFinalizer {
					break
				}
				if now = now.Add(time.Minute); d.Changed {
					f.Status = d.Status
				}
			}
			if f.Status.Outcome != outcomes[name] {
				t.Errorf("ended as %s with %q, want %q", f.Status.Phase, f.Status.Outcome, outcomes[name])
			}
		})
	}
}

// TestLateBeginning: an attempt that its process has left alone before the key was set has its full time once the key can be set.
func TestLateBeginning(t *testing.T) {
	late := 24 * time.Hour
	d := Decide(in(v1alpha1.PoweringOff, unbegun), noon.Add(late))
	if d.Status.Phase != v1alpha1.PoweringOff || d.Status.BeganAt == nil || !d.Status.PendingRebootSince.Time.Equal(noon.Add(late)) {
		t.Errorf("phase %s, begun at %v, its clock runs since %v", d.Status.Phase, d.Status.BeganAt, d.Status.PendingRebootSince)
	}
}

// TestWhyItHasNotBegun: before a cycle begins, the conditions say why it waits, whatever they said before.
func TestWhyItHasNotBegun(t *testing.T) {
	inLine := func(f *Facts) { f.Throttled = "wait" }
	another := beside(sibling("s", v1alpha1.PoweringOff))
	type why struct{ Host, Succeeded string }
	for name, c := range map[string]struct {
		change change
		want   why
	}{
		"switched off":            {userOff, why{v1alpha1.ReasonSuspendedByUser, v1alpha1.ReasonSuspendedByUser}},
		"kept off":                {others, why{v1alpha1.ReasonHeldByOthers, v1alpha1.ReasonHeldByOthers}},
		"kept off, in line":       {allOf(others, inLine), why{v1alpha1.ReasonHeldByOthers, v1alpha1.ReasonHeldByOthers}},
		"paused host":             {obstacleIs(v1alpha1.ReasonHostPaused), why{v1alpha1.ReasonHostPaused, v1alpha1.ReasonHostUnavailable}},
		"detached host":           {obstacleIs(v1alpha1.ReasonHostDetached), why{v1alpha1.ReasonHostDetached, v1alpha1.ReasonHostUnavailable}},
		"serviced host":           {obstacleIs(v1alpha1.ReasonHostServicing), why{v1alpha1.ReasonHostServicing, v1alpha1.ReasonHostUnavailable}},
		"another cycle":           {another, why{v1alpha1.ReasonHostAvailable, v1alpha1.ReasonThrottled}},
		"another cycle, kept off": {allOf(another, others), why{v1alpha1.ReasonHeldByOthers, v1alpha1.ReasonThrottled}},
		"in line":                 {inLine, why{v1alpha1.ReasonHostAvailable, v1alpha1.ReasonThrottled}},
	} {
		for _, before := range []string{v1alpha1.ReasonHostAvailable, v1alpha1.ReasonSuspendedByUser, v1alpha1.ReasonHostPaused} {
			t.Run(name+" after "+before, func(t *testing.T) {
				d := Decide(in(v1alpha1.Pending, hostSays(before), c.change), noon.Time)
				got := why{reasonOf(d.Status, v1alpha1.ConditionHostAvailable), reasonOf(d.Status, v1alpha1.ConditionSucceeded)}
				if diff := cmp.Diff(c.want, got); diff != "" || d.Status.BeganAt != nil || d.Status.Phase != v1alpha1.Pending {
					t.Errorf("in phase %s, it says (-want +got):\n%s", d.Status.Phase, diff)
				}
			})
		}
	}
}

// TestBegunAndLeftAlone: a cycle that has begun, and that may not go on through no fault of its host, ends and does not count. Its record decides
// what follows.
func TestBegunAndLeftAlone(t *testing.T) {
	over := powerOffTimeout + proofTime
	check(t, []row{
		{name: "others come first, before its key is set", facts: in(v1alpha1.PoweringOff, seenOn, throttled), want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable).lookingAgain(powerOffTimeout)},
		{name: "its host is paused", facts: in(v1alpha1.PoweringOff, keyed, obstacleIs(v1alpha1.ReasonHostPaused)), after: over, want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable)},
		{name: "detached", facts: in(v1alpha1.PoweringOff, keyed, obstacleIs(v1alpha1.ReasonHostDetached)), after: over, want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable)},
		{name: "serviced", facts: in(v1alpha1.PoweringOff, keyed, obstacleIs(v1alpha1.ReasonHostServicing)), after: over, want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable)},
		{name: "that is no fault of the host", facts: in(v1alpha1.Aborted, func(f *Facts) { f.Status.Outcome = v1alpha1.ReasonHostUnavailable }), want: does(v1alpha1.Aborted, RemoveFinalizer)},
		{name: "it has an error", facts: in(v1alpha1.PoweringOff, keyed, obstacleIs(v1alpha1.ReasonPowerManagementError)), after: over, want: stores(v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut)},
	})
}
