package cycle

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const operation = "u-1/1"

// requestedBy stores who asked for the cycle.
func requestedBy(by v1alpha1.RebootRequester) change {
	return func(f *Facts) { f.Spec.RequestedBy = &by }
}

// ofRecord makes the cycle an attempt of a plan's step. Its retryLimit must have no effect.
func ofRecord(f *Facts) {
	requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", UID: "u-1", OperationID: operation})(f)
	f.Spec.RetryLimit, f.Machine.ByHealthCheck = new(int32(5)), true
}

// ofAnnotation makes the cycle one that an annotation of the Machine asks for in full.
func ofAnnotation(f *Facts) {
	requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation})(f)
	f.Machine.ByAnnotation, f.Machine.AsksFull = true, true
}

// TestRecordHasOneCycle: whatever retryLimit says, an attempt of a record is one cycle. Only the record asks for the next one.
func TestRecordHasOneCycle(t *testing.T) {
	const failed, again = v1alpha1.Failed, v1alpha1.CoolingDown
	for name, tt := range map[string]struct {
		change change
		cycles bool
	}{
		"a record":                         {ofRecord, false},
		"Cluster API's own controller":     {func(*Facts) {}, true},
		"a person, by a RebootRemediation": {requestedBy(v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}), true},
		"a person, by an annotation":       {ofAnnotation, true},
	} {
		want := func(reason string) outcome {
			if tt.cycles {
				return stores(again, "CoolingDown")
			}
			return stores(failed, reason)
		}
		check(t, []row{
			{name: name + ": not off", facts: in(v1alpha1.PoweringOff, keyed, keySeen, seenOn, tt.change), after: powerOffTimeout, want: want(v1alpha1.ReasonPowerOffTimedOut)},
			{name: name + ": not on", facts: in(v1alpha1.PoweringOn, tt.change), after: powerOnTimeout, want: want(v1alpha1.ReasonPowerOnTimedOut)},
			{name: name + ": no Node", facts: in(v1alpha1.WaitingForNode, tt.change), after: nodeTimeout, want: want(v1alpha1.ReasonNodeTimedOut)},
		})
	}
}

// allOf makes several changes in order.
func allOf(changes ...change) change {
	return func(f *Facts) {
		for _, c := range changes {
			c(f)
		}
	}
}

// TestRecordAsksNoOwner: if an attempt of a record did not help, the record decides what follows. The owner would replace the machine and
// wipe its disks. A person who asked by annotation gets the owner's help.
func TestRecordAsksNoOwner(t *testing.T) {
	const failed = v1alpha1.Failed
	because := func(reason string) change {
		return allOf(condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason), markedUnhealthy)
	}
	hostless := func(f *Facts) {
		f.Status.Attempt, f.Status.Host = 0, nil
		f.Host = HostFacts{Missing: "The machine has no host", None: true}
	}
	for reason, change := range map[string]change{
		v1alpha1.ReasonPowerOffTimedOut: func(*Facts) {},
		v1alpha1.ReasonPowerOnTimedOut:  func(*Facts) {},
		v1alpha1.ReasonNodeTimedOut:     func(*Facts) {},
		v1alpha1.ReasonHostUnavailable:  hostless,
	} {
		check(t, []row{{name: reason, facts: in(failed, because(reason), change, ofRecord), want: does(failed, RemoveFinalizer).saying(reason)}})
	}
	check(t, []row{{
		name:  "a person",
		facts: in(failed, because(v1alpha1.ReasonNodeTimedOut), ofAnnotation), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonNodeTimedOut),
	}})
	d := Decide(in(v1alpha1.WaitingForNode, ofRecord, notOwned), noon.Add(nodeTimeout))
	if got := messageOf(d.Status); strings.Contains(got, "nobody replaces it") {
		t.Errorf("the message is %q", got)
	}
}

// TestRecordTakesItBack: a record can withdraw its request, like anybody else. Before the Node was touched, the cycle ends at once; after
// that, the host comes on first.
func TestRecordTakesItBack(t *testing.T) {
	withdrawn, recovered := stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn), stores(v1alpha1.Aborted, v1alpha1.ReasonRecovered)
	release := stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "Pending", facts: in(v1alpha1.Pending, ofRecord, deleting), want: withdrawn},
		{name: "PoweringOff", facts: in(v1alpha1.PoweringOff, ofRecord, deleting), want: withdrawn},
		{name: "Fenced", facts: in(v1alpha1.Fenced, ofRecord, deleting), want: withdrawn},
		{name: "Isolating", facts: in(v1alpha1.Isolating, ofRecord, deleting), want: release},
		{name: "and the host is given back", facts: in(v1alpha1.Aborted, ofRecord, deleting, keyed), want: does(v1alpha1.Aborted, RemoveKey)},
		{name: "the machine is healthy", facts: in(v1alpha1.PoweringOff, ofRecord, healthy), want: recovered},
		{name: "the Node is back", facts: in(v1alpha1.Restoring, ofRecord, func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }), want: stores(v1alpha1.Succeeded, "Succeeded")},
	})
}

// TestRecordPlaysThrough: in an attempt of a record, the host does not come on. It was cycled once, and nobody is asked to replace the
// machine.
func TestRecordPlaysThrough(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.dead = t, true
	w.recordAsks()
	if s := w.ended(t, 6*time.Hour); s.Phase != v1alpha1.Failed || s.Attempt != 1 || w.machine.marked {
		t.Errorf("ended as %s after %d attempts, and marked is %t", s.Phase, s.Attempt, w.machine.marked)
	}
}
