package cycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// sibling returns another RebootRemediation of the same Machine.
func sibling(name string, phase v1alpha1.Phase, changes ...change) v1alpha1.RebootRemediation {
	f := in(phase, changes...)
	other := v1alpha1.RebootRemediation{Spec: f.Spec, Status: f.Status}
	other.Name, other.UID = name, "other"
	if phase != "" {
		other.Status.MachineUID = "m-1"
	}
	return other
}

// beside sets the other RebootRemediations of the Machine.
func beside(others ...v1alpha1.RebootRemediation) change {
	return func(f *Facts) { f.Siblings = others }
}

// TestWaitsForWhom: a RebootRemediation that waits says for which one, and of which record.
func TestWaitsForWhom(t *testing.T) {
	d := Decide(in(v1alpha1.Pending, beside(sibling("other", v1alpha1.PoweringOff))), noon.Time)
	if got := messageOf(d.Status); !strings.Contains(got, "RebootRemediation other of MachineRemediation r") {
		t.Errorf("the message is %q", got)
	}
}

// owing makes an ended cycle owe its Node something.
func owing(labels map[string]string) change {
	return func(f *Facts) {
		condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)(f)
		outOfServiceSince(f)
		f.Status.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: labels}
	}
}

func endedAt(after time.Duration) change {
	return func(f *Facts) { f.Status.FinishedAt = new(metav1.NewTime(noon.Add(after))) }
}

// TestTakesOverWhatIsOwed: the next attempt of a record is another RebootRemediation, and puts back what the last one could not.
func TestTakesOverWhatIsOwed(t *testing.T) {
	a, b := map[string]string{"team": "a", "rack": "1"}, map[string]string{"team": "b", "row": "2"}
	const failed = v1alpha1.Failed
	otherMachine := sibling("r-1", failed, owing(a))
	otherMachine.Status.MachineUID = "m-0"
	for name, tt := range map[string]struct {
		facts []change
		want  map[string]string
		owes  bool
	}{
		"an attempt before":        {[]change{beside(sibling("r-1", failed, owing(a)))}, a, true},
		"two":                      {[]change{beside(sibling("r-1", failed, owing(a), endedAt(0)), sibling("r-2", failed, owing(b), endedAt(moment)))}, map[string]string{"team": "b", "rack": "1", "row": "2"}, true},
		"one that owes nothing":    {[]change{beside(sibling("r-1", failed, untouched))}, nil, false},
		"of another machine":       {[]change{beside(otherMachine)}, nil, false},
		"one that taints the Node": {[]change{beside(sibling("r-1", failed, owing(a), taints))}, nil, false},
		"one that has only begun":  {[]change{beside(sibling("r-1", v1alpha1.Pending, func(f *Facts) { f.Status.Node = nil }))}, nil, false},
	} {
		f := in(v1alpha1.Pending, append(tt.facts, nodeGone)...)
		copies := (&v1alpha1.RebootRemediationList{Items: f.Siblings}).DeepCopy().Items
		s := Decide(f, noon.Time).Status
		if s.Phase != v1alpha1.PoweringOff || s.Node == nil || s.Node.Name != "n1" || s.Node.OutOfService != tt.owes {
			t.Errorf("%s: in phase %s is recorded %+v", name, s.Phase, s.Node)
			continue
		}
		var labels map[string]string
		if s.Node.Backup != nil {
			labels = s.Node.Backup.Labels
		}
		if diff := cmp.Diff(tt.want, labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", name, diff)
		}
		s.Node.OutOfService, s.Node.Backup = false, nil
		if diff := cmp.Diff(copies, f.Siblings); diff != "" {
			t.Errorf("%s: what was read has changed (-before +after):\n%s", name, diff)
		}
	}
	s := Decide(in(v1alpha1.Pending, taints, nodeIs(nodeOf("node-1", "boot-1")), beside(sibling("r-1", failed, outOfServiceSince, taints))), noon.Time).Status
	if s.Node == nil || !s.Node.OutOfService || s.Node.UID != "node-1" {
		t.Errorf("of a Node that is tainted is recorded %+v", s.Node)
	}
}

// TestLetsTheNextOneDoIt: once the next cycle has taken the Node over, the first one leaves it alone. Otherwise it might untaint
// a Node whose host is off, or put back what somebody has removed since.
func TestLetsTheNextOneDoIt(t *testing.T) {
	const failed = v1alpha1.Failed
	late := func(changes ...change) Facts {
		return in(failed, append([]change{owing(map[string]string{"team": "a"}), noFinalizer, newNode, func(f *Facts) { f.Node.Node.Labels = nil }}, changes...)...)
	}
	at := func(after time.Duration) change {
		return func(f *Facts) { f.Status.BeganAt = new(metav1.NewTime(noon.Add(after))) }
	}
	rests := waits(failed, 0).saying(v1alpha1.ReasonNodeTimedOut)
	restores := does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut)
	over := stores(failed, v1alpha1.ReasonNodeTimedOut)
	ofOtherMachine := sibling("r-2", v1alpha1.PoweringOff, at(moment))
	ofOtherMachine.Status.MachineUID = "m-2"
	check(t, []row{
		{name: "nobody else", facts: late(), want: restores},
		{name: "the next one is at work", facts: late(beside(sibling("r-2", v1alpha1.PoweringOff, at(moment)))), want: over},
		{name: "the next one has begun in the same second", facts: late(beside(sibling("r-2", v1alpha1.PoweringOff, at(0)))), want: over},
		{name: "the next one has ended", facts: late(beside(sibling("r-2", v1alpha1.Succeeded, at(moment)))), want: over},
		{name: "it has not begun", facts: late(beside(sibling("r-2", v1alpha1.Pending))), want: restores},
		{name: "one that began before is still at work", facts: late(endedAt(moment), reports(2*moment), beside(sibling("r-0", v1alpha1.WaitingForNode, at(0)))), want: rests},
		{name: "it came before", facts: late(endedAt(moment), reports(2*moment), beside(sibling("r-0", v1alpha1.Succeeded, at(0)))), want: restores},
		{name: "another one that taints is at work", facts: late(beside(sibling("r-2", v1alpha1.PoweringOff, at(moment), taints))), want: rests},
		{name: "another one that taints has ended", facts: late(beside(sibling("r-2", v1alpha1.Succeeded, at(moment), taints))), want: restores},
		{name: "it is about another machine", facts: late(beside(ofOtherMachine)), want: rests},
		{name: "it owes nothing", facts: late(untouched, beside(sibling("r-2", v1alpha1.PoweringOff, at(moment)))), want: rests},
		{name: "the finalizer comes first", facts: late(func(f *Facts) { f.Finalizer = true }, keyed, beside(sibling("r-2", v1alpha1.PoweringOff, at(moment)))), want: does(failed, RemoveKey).saying(v1alpha1.ReasonNodeTimedOut)},
	})
	s := Decide(late(beside(sibling("r-2", v1alpha1.PoweringOff, at(moment)))), noon.Time).Status
	if s.Node.Backup != nil || s.Node.OutOfService || !strings.Contains(messageOf(s), "r-2") {
		t.Errorf("afterwards is recorded %+v, and the message is %q", s.Node, messageOf(s))
	}
}
