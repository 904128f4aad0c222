package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// standing makes the cycle one of a health check that waits for a pause to end.
func standing(f *Facts) {
	underPause(f)
	f.Status.SuspendedSince, f.Status.PausedSince = &noon, &noon
}

// TestNobodyWaitsForAPause: a person's request does not wait for a health check's cycle that waits for a pause, and takes over what that
// one owes the Node.
func TestNobodyWaitsForAPause(t *testing.T) {
	byHand := requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine} {
		other := sibling("m", phase, standing)
		d := Decide(in(v1alpha1.Pending, byHand, beside(other)), noon.Add(time.Hour))
		if d.Status.Phase != v1alpha1.PoweringOff {
			t.Errorf("beside %s: %s", phase, d)
		}
		if owed := OwesNode(&other.Status); owed != OwesNode(&d.Status) || owed && d.Status.Node.Backup == nil {
			t.Errorf("beside %s, which owes the Node something (%t), it takes over %+v", phase, owed, d.Status.Node)
		}
	}
}

// TestStandsBack: a cycle that has waited for a pause leaves the machine, and the Node, to the one that began meanwhile. It goes on
// afterwards, when the machine has been judged again.
func TestStandsBack(t *testing.T) {
	const cooling, restoring, machine, failed, yielding = v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine, v1alpha1.Failed, v1alpha1.ReasonThrottled
	atWork := beside(sibling("person", v1alpha1.Isolating))
	otherNode := beside(sibling("person", v1alpha1.Isolating, taints))
	over := func(f *Facts) { f.Paused = "" }
	newer := func(f *Facts) { newNode(f); reports(moment)(f) }
	tried := func(f *Facts) { f.Status.Outcome = v1alpha1.ReasonNodeTimedOut }
	const later = time.Hour
	check(t, []row{
		{name: "between two attempts", facts: in(cooling, standing, atWork), after: later, want: stores(cooling, yielding)},
		{name: "after the pause, too", facts: in(cooling, standing, over, atWork), after: later, want: stores(cooling, yielding)},
		{name: "for as long as it takes", facts: settled(in(cooling, standing, atWork)), after: later, want: waits(cooling, 0).saying(yielding)},
		{name: "and then for a moment", facts: in(cooling, standing, over), after: later, want: stores(cooling, "CoolingDown")},
		{name: "the Node is not its own any more", facts: in(cooling, standing, atWork, newer), after: later, want: stores(cooling, yielding)},
		{name: "nor is it while it comes back", facts: in(restoring, standing, atWork, newer), after: later, want: stores(restoring, yielding)},
		{name: "for as long as that takes", facts: settled(in(restoring, standing, atWork, newer)), after: later, want: waits(restoring, 0).saying(yielding)},
		{name: "and then it has time", facts: in(restoring, standing, over, untouched, nodeGone), after: later, want: stores(restoring, "Restoring").lookingAgain(later + nodeTimeout)},
		{name: "no owner is asked in the last attempt", facts: in(machine, standing, over, lastAttempt, atWork), after: later, want: waits(machine, 0)},
		{name: "nor after it", facts: in(failed, standing, over, tried, markedUnhealthy, atWork), after: later, want: waits(failed, later+lookAgain)},
		{name: "but then", facts: in(failed, over, tried, markedUnhealthy), after: later, want: does(failed, MarkForOwner)},
		{name: "it is taken back", facts: in(cooling, standing, deleting, atWork), after: later, want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},
		{name: "while it comes back", facts: in(restoring, standing, deleting, atWork, newer), after: later, want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},
	})
	for _, phase := range []v1alpha1.Phase{cooling, restoring} {
		if s := Decide(in(phase, standing, atWork, newer), noon.Add(later)).Status; OwesNode(&s) || s.Node.Backup != nil || s.PausedSince == nil {
			t.Errorf("%s: two look after the Node: %+v", phase, s.Node)
		}
		if s := Decide(in(phase, standing, otherNode, newer), noon.Add(later)).Status; !OwesNode(&s) || s.Node.Backup == nil {
			t.Errorf("%s: nobody looks after the Node: %+v", phase, s.Node)
		}
	}
}
