package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// underPause makes the cycle one of a health check under a pause.
func underPause(f *Facts) {
	f.Machine.ByHealthCheck, f.Paused = true, "Cluster spec.paused is set to true"
}

// TestUnderPause: no attempt begins. One that has begun and not reached the host is cancelled; one that has reached it goes on.
func TestUnderPause(t *testing.T) {
	const pending, cooling, paused = v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.ReasonUnderPause
	until := func(f *Facts) { f.PausedUntil = noon.Add(time.Hour) }
	check(t, []row{
		{name: "it does not begin", facts: in(pending, underPause), want: stores(pending, paused)},
		{name: "for as long as it takes", facts: settled(in(pending, underPause)), after: 24 * time.Hour, want: waits(pending, 0).saying(paused)},
		{name: "or until it is known to be over", facts: settled(in(pending, underPause, until)), want: waits(pending, time.Hour).saying(paused)},
		{name: "then it begins", facts: in(pending, waitsFor(paused), suspended), after: 24 * time.Hour, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "and the host has time", facts: in(pending, missing, waitsFor(paused), suspended), after: time.Hour, want: stores(pending, v1alpha1.ReasonHostUnavailable).lookingAgain(time.Hour + powerOffTimeout)},
		{name: "the host does not matter meanwhile", facts: in(pending, underPause, ofOthers), want: stores(pending, paused)},
		{name: "it is taken back", facts: in(pending, underPause, deleting), want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},
		{name: "the machine is well", facts: in(pending, underPause, healthy), want: stores(v1alpha1.Aborted, v1alpha1.ReasonRecovered)},
		{name: "the next attempt does not begin", facts: in(cooling, underPause), after: CoolDown, want: stores(cooling, paused)},
		{name: "the host is let go of before", facts: in(cooling, underPause, keyed), want: does(cooling, RemoveKey)},
		{name: "a Node that comes late is served", facts: in(cooling, underPause, newNode, reports(moment)), want: stores(v1alpha1.Restoring, "Restoring")},
		{name: "the key is not set any more", facts: in(v1alpha1.PoweringOff, underPause, seenOn), want: stores(cooling, "CoolingDown").lookingAgain(powerOffTimeout)},
		{name: "one that is set stays", facts: in(v1alpha1.PoweringOff, underPause, seenOn, keyed), want: stores(v1alpha1.PoweringOff, "PoweringOff").lookingAgain(powerOffTimeout)},
	})
	s := Decide(in(v1alpha1.PoweringOff, underPause, seenOn), noon.Time).Status
	if s.Attempt != 0 || s.PendingRebootSince != nil {
		t.Errorf("taken back, and yet recorded: attempt %d since %v", s.Attempt, s.PendingRebootSince)
	}
}

// TestNeedsPauses: pauses matter until the host is reached, and where the verdict counts, but not for a person.
func TestNeedsPauses(t *testing.T) {
	asked := func(f *Facts) { f.Machine.ByHealthCheck = true }
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"it is to begin":            {in(v1alpha1.Pending, asked), true},
		"for a person":              {in(v1alpha1.Pending), false},
		"for a record":              {in(v1alpha1.Pending, ofRecord), true},
		"it has begun":              {in(v1alpha1.PoweringOff, asked), true},
		"it has reached the host":   {in(v1alpha1.PoweringOff, asked, keySeen), false},
		"the Node is to be deleted": {in(v1alpha1.Isolating, asked), false},
		"the next is to begin":      {in(v1alpha1.CoolingDown, asked), true},
		"the host comes on":         {in(v1alpha1.PoweringOn, asked), false},
		"its Node is served":        {in(v1alpha1.Restoring, asked), true},
		"the machine is judged":     {in(v1alpha1.WaitingForMachine, asked), true},
		"the owner may be asked":    {in(v1alpha1.Failed, asked), true},
		"it is over":                {in(v1alpha1.Failed, asked, noFinalizer), false},
		"it has helped":             {in(v1alpha1.Succeeded, asked), false},
	} {
		if got := NeedsPauses(&tt.facts); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestUpgradeBetweenTwoAttempts simulates a system that hangs after the first attempt, and a pause that begins then. The host is left
// alone until the pause ends.
func TestUpgradeBetweenTwoAttempts(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.dead = t, true
	for range 100 {
		if w.request.status.Phase == v1alpha1.CoolingDown {
			break
		}
		w.goOn(time.Minute)
	}
	w.paused = true
	cycles := w.seen.cycles
	w.goOn(24 * time.Hour)
	if s := w.request.status; s.Phase != v1alpha1.CoolingDown || s.Attempt != 1 || w.seen.cycles != cycles || !w.iron.power {
		t.Fatalf("in phase %s of attempt %d after %d cycles", s.Phase, s.Attempt, w.seen.cycles)
	}
	w.paused, w.kubelet.dead = false, false
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded || s.Attempt != 2 {
		t.Errorf("ended as %s in attempt %d", s.Phase, s.Attempt)
	}
}
