package reboot

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// standing is a cycle of a health check that waits for a pause to end.
func standing(f *Facts) {
	underPause(f)
	f.Status.SuspendedSince, f.Status.PausedSince = &noon, &noon
}

// TestNobodyWaitsForAPause but who has to: what a person asks for begins beside a health check's cycle that waits for one, and takes
// over what that one owes the Node.
func TestNobodyWaitsForAPause(t *testing.T) {
	byHand := requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine} {
		other := sibling("m", phase, standing)
		d := Decide(in(v1alpha1.Pending, byHand, beside(other)), noon.Add(time.Hour))
		if d.Status.Phase != v1alpha1.PoweringOff {
			t.Errorf("beside %s: %s", phase, d)
		}
		if owed := owesNode(&other.Status); owed != owesNode(&d.Status) || owed && d.Status.Node.Backup == nil {
			t.Errorf("beside %s, which owes the Node something (%t), it takes over %+v", phase, owed, d.Status.Node)
		}
	}
}

// TestStandsBack: a cycle that has waited for a pause leaves the machine to the one that has begun meanwhile, Node and all. Then it goes
// on, when the machine was judged anew.
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
		if s := Decide(in(phase, standing, atWork, newer), noon.Add(later)).Status; owesNode(&s) || s.Node.Backup != nil || s.PausedSince == nil {
			t.Errorf("%s: two look after the Node: %+v", phase, s.Node)
		}
		if s := Decide(in(phase, standing, otherNode, newer), noon.Add(later)).Status; !owesNode(&s) || s.Node.Backup == nil {
			t.Errorf("%s: nobody looks after the Node: %+v", phase, s.Node)
		}
	}
}

// TestPersonAsksUnderAPause: a health check's cycle waits for the end of a pause, between two attempts. What a person asks for then is
// done, and the health check's cycle waits for that.
func TestPersonAsksUnderAPause(t *testing.T) {
	s := newShared(t)
	first := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck})
	s.look(first)
	first.Status.Phase, first.Status.NextAttemptAt = v1alpha1.CoolingDown, new(metav1.NewTime(time.Now()))
	if err := s.e.Client.Status().Update(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	m := reread(t, s.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "m"}})
	m.Annotations = map[string]string{clusterv1.MachineSkipRemediationAnnotation: ""}
	if err := s.e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if s.look(first); len(s.keys()) > 0 || reasonOf(first.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonUnderPause {
		t.Fatalf("in phase %s: %+v", first.Status.Phase, first.Status.Conditions)
	}
	person := s.ask("by-hand", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	if s.look(person).Status.Phase != v1alpha1.PoweringOff || !s.held(person) {
		t.Errorf("a person waits for the pause: %s", messageOf(person.Status))
	}
	m = reread(t, s.e, m)
	m.Annotations = nil
	if err := s.e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if s.look(first); !s.held(person) || !strings.Contains(messageOf(first.Status), "by-hand") {
		t.Errorf("then the keys are %v, and the first says %s", s.keys(), messageOf(first.Status))
	}
}

// TestPersonOfAControlPlaneUnderAPause: nor does another machine of the control plane wait for a cycle that waits for a pause.
func TestPersonOfAControlPlaneUnderAPause(t *testing.T) {
	p := newPlane(t, 3)
	paused := p.ask("m1")
	paused.Status.Phase, paused.Status.PausedSince = v1alpha1.CoolingDown, new(metav1.Now())
	if err := p.e.Client.Status().Update(t.Context(), paused); err != nil {
		t.Fatal(err)
	}
	person := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "by-hand"}}
	person.Spec.Machine = &v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m2"}
	person.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}
	build.Create(t.Context(), t, p.e.Client, person)
	if p.look(person).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("in phase %s: %s", person.Status.Phase, messageOf(person.Status))
	}
}
