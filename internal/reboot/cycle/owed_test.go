package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// forNode makes the record stay for its Node.
func forNode(f *Facts) { f.NodeFinalizer = true }

// deletedAt deletes the record some time after noon.
func deletedAt(after time.Duration) change {
	return func(f *Facts) { f.Deleting, f.DeletingSince = true, noon.Add(after) }
}

// draining has Sickbay hand everything back.
func draining(f *Facts) { f.Drains = true }

// finishedAt has a cycle end some time after noon.
func finishedAt(after time.Duration) change {
	return func(f *Facts) { f.Status.FinishedAt = new(metav1.NewTime(noon.Add(after))) }
}

// TestStaysForItsNode: a record does not stay for its Node without a reason, and once it is deleted, no longer than the Node may take.
func TestStaysForItsNode(t *testing.T) {
	const failed = v1alpha1.Failed
	why := condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)
	owed := func(changes ...change) Facts {
		return in(failed, append([]change{owing(map[string]string{"team": "a"}), noFinalizer, forNode, nodeGone}, changes...)...)
	}
	rests := waits(failed, 0).saying(v1alpha1.ReasonNodeTimedOut)
	goes := does(failed, RemoveNodeFinalizer).saying(v1alpha1.ReasonNodeTimedOut)
	bare := func(f *Facts) { f.Node.Node.Labels = nil }
	expires := nodeTimeout + time.Hour
	check(t, []row{
		{name: "it waits", facts: owed(), after: 24 * time.Hour, want: rests},
		{name: "it is deleted", facts: owed(deletedAt(time.Hour)), after: time.Hour, want: rests.lookingAgain(expires)},
		{name: "the Node comes", facts: owed(deletedAt(time.Hour), newNode, bare), after: time.Hour, want: does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut).lookingAgain(expires)},
		{name: "it does not come", facts: owed(deletedAt(time.Hour)), after: expires, want: goes},
		{name: "it cannot come, as another cycle keeps the host off", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Holding, taints))), after: expires, want: rests},
		{name: "another cycle waits for a person, and takes over what is owed when it begins", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Pending, taints))), after: expires, want: rests},
		{name: "it has its time again once that cycle is over", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints, finishedAt(expires)))), after: expires, want: rests.lookingAgain(expires + nodeTimeout)},
		{name: "one that ended before does not count, to the last", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints))), after: expires - moment, want: rests.lookingAgain(expires)},
		{name: "and no longer", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints))), after: expires, want: goes},
		{name: "the Machine is gone", facts: owed(machineGone), want: goes},
		{name: "the Machine is another one", facts: owed(func(f *Facts) { f.Machine.UID = "m-2" }), want: goes},
		{name: "nothing is owed any more", facts: owed(untouched, why), want: goes},
		{name: "the machine cannot be read", facts: owed(machineUnreadable), want: rests},
		{name: "nor before it has been long enough", facts: owed(machineUnreadable, deletedAt(time.Hour)), after: expires, want: goes},
		{name: "Sickbay drains", facts: owed(draining, finishedAt(time.Hour)), after: time.Hour, want: rests.lookingAgain(expires)},
		{name: "the Node does not come while it drains", facts: owed(draining, finishedAt(time.Hour)), after: expires, want: goes},
		{name: "the Node came while no manager ran", facts: owed(draining, finishedAt(time.Hour), newNode, bare), after: expires, want: does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut)},
		{name: "another cycle keeps the host off while it drains", facts: owed(draining, finishedAt(time.Hour), beside(sibling("other", v1alpha1.Holding, taints))), after: expires, want: rests},
	})
}
