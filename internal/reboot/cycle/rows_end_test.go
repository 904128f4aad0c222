package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestEndedCycleRemovesWhatIsLeft: an ended cycle removes what is left, one thing after the other.
func TestEndedCycleRemovesWhatIsLeft(t *testing.T) {
	const done, failed, aborted = v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted
	plain := allOf(until(v1alpha1.StepPowerOff), func(f *Facts) { f.Machine.AsksFull = true })
	because := func(reason string) change {
		return allOf(condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason), markedUnhealthy)
	}
	tried := because(v1alpha1.ReasonNodeTimedOut)
	ends := func(action Action) outcome { return does(failed, action).saying(v1alpha1.ReasonNodeTimedOut) }
	otherHost := func(f *Facts) { f.Host.UID = "h-2" }
	check(t, []row{
		{name: "clearing up: the key", facts: in(done, keyed), want: does(done, RemoveKey)},
		{name: "clearing up: the question", facts: in(done, probed), want: does(done, RemoveKey)},
		{name: "clearing up: even of a host that others use now", facts: in(done, keyed, ofOthers), want: does(done, RemoveKey)},
		{name: "clearing up: not that of another host", facts: in(done, keyed, otherHost), want: does(done, RemoveFinalizer)},
		{name: "clearing up: no host is left", facts: in(done, missing), want: does(done, RemoveFinalizer)},
		{name: "clearing up: the annotations", facts: in(done, until(v1alpha1.StepPowerOff), asking(v1alpha1.StepPowerOn)), want: does(done, DropAsked)},
		{name: "clearing up: not one for all that is left that comes too late", facts: in(done, plain), want: does(done, RemoveFinalizer)},
		{name: "clearing up: not those for another cycle", facts: in(done, func(f *Facts) { f.Machine.AsksFull = true }), want: does(done, RemoveFinalizer)},
		{name: "clearing up: not those that came too late", facts: in(done, asking(v1alpha1.StepPowerOff)), want: does(done, RemoveFinalizer)},
		{name: "clearing up: not those of one that does not count", facts: in(aborted, plain), want: does(aborted, RemoveFinalizer)},
		{name: "clearing up: the machine is gone", facts: in(done, machineGone), want: does(done, RemoveFinalizer)},
		{name: "clearing up: the finalizer last", facts: in(done), want: does(done, RemoveFinalizer)},
		{name: "clearing up: then nothing", facts: in(done, noFinalizer), want: waits(done, 0)},
		{name: "clearing up: nothing either when it is deleted", facts: in(done, noFinalizer, deleting), want: waits(done, 0)},
		{name: "after the end: the key first", facts: in(failed, tried, keyed), want: ends(RemoveKey)},
		{name: "after the end: then the finalizer", facts: in(failed, tried), want: ends(RemoveFinalizer)},
		{name: "after the end: nobody wants it any more", facts: in(failed, tried, deleting), want: ends(RemoveFinalizer)},
		{name: "after the end: asked for single steps", facts: in(failed, tried, asking(v1alpha1.StepPowerOn)), want: ends(DropAsked)},
	})
}

// TestTakenBack: before the host is off, a withdrawn cycle ends at once; after that, the host comes on, and the Node comes back and gets what it had.
func TestTakenBack(t *testing.T) {
	withdrawn := stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)
	release := stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "before the Node is touched: Pending, deleted", facts: in(v1alpha1.Pending, deleting), want: withdrawn},
		{name: "before the Node is touched: PoweringOff, deleted", facts: in(v1alpha1.PoweringOff, deleting), want: withdrawn},
		{name: "the host is off: Fenced, deleted", facts: in(v1alpha1.Fenced, deleting), want: release},
		{name: "after the Node was touched: PoweringOff once more", facts: in(v1alpha1.PoweringOff, deleting, outOfServiceSince), want: release},
		{name: "after the Node was touched: Isolating, deleted", facts: in(v1alpha1.Isolating, deleting), want: release},
		{name: "the host is off: Holding, to be proven anew, deleted", facts: in(v1alpha1.Holding, deleting, func(f *Facts) { f.Status.PoweredOffAt = nil }), want: release},
		{name: "the host is off: Holding, deleted", facts: in(v1alpha1.Holding, deleting), want: release},
		{name: "after the Node was touched: Holding without the Node, deleted", facts: in(v1alpha1.Holding, deleting, outOfServiceSince), want: release},
		{name: "after the Node was touched: PoweringOn, deleted", facts: in(v1alpha1.PoweringOn, deleting, keyed), want: does(v1alpha1.PoweringOn, RemoveKey)},
		{name: "after the Node was touched: WaitingForNode, deleted", facts: in(v1alpha1.WaitingForNode, deleting), want: waits(v1alpha1.WaitingForNode, nodeTimeout)},
		{name: "after the Node was touched: it does not come, deleted", facts: in(v1alpha1.WaitingForNode, asking(v1alpha1.StepPowerOff), deleting), after: nodeTimeout, want: withdrawn},
		{name: "after the Node was touched: Restoring, deleted", facts: in(v1alpha1.Restoring, deleting), want: does(v1alpha1.Restoring, RestoreNode).lookingAgain(nodeTimeout)},
	})
}

// TestGroundIsGone: if the machine or the host is gone, the cycle ends, in each phase in which something may have been done.
func TestGroundIsGone(t *testing.T) {
	gone := func(f *Facts) { f.Host = HostFacts{Missing: "The host h1 does not exist"} }
	replaced := func(f *Facts) { f.Host.UID = "h-2" }
	var rows []row
	for _, phase := range []v1alpha1.Phase{
		v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding, v1alpha1.PoweringOn, v1alpha1.WaitingForNode, v1alpha1.Restoring,
	} {
		rows = append(rows,
			row{name: "the ground is gone: machine gone, " + string(phase), facts: in(phase, machineGone), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},
			row{name: "the ground is gone: another machine, " + string(phase), facts: in(phase, func(f *Facts) { f.Machine.UID = "m-2" }), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},
			row{name: "the ground is gone: host goes to others, " + string(phase), facts: in(phase, ofOthers), want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotOurs},
			row{name: "the ground is gone: host gone, " + string(phase), facts: in(phase, gone), want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotFound},
			row{name: "the ground is gone: another host, " + string(phase), facts: in(phase, replaced), want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotFound},
		)
	}
	check(t, rows)
}

// machineUnreadable makes everything but the host unreadable.
func machineUnreadable(f *Facts) {
	f.MachineUnreadable, f.Host.Ours, f.Node = "The machine cannot be read", false, NodeFacts{}
	f.Machine = MachineFacts{UID: f.Status.MachineUID}
}

// TestMachineUnreadable: while the Machine cannot be read, the host is released in time, nothing begins, and no Node is touched.
func TestMachineUnreadable(t *testing.T) {
	const off, fenced, isolating, aborted, done = v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Aborted, v1alpha1.Succeeded
	again := func(o outcome) outcome { return o.lookingAgain(lookAgain) }
	proven := []change{keyed, keySeen, seenOn}
	stands := func(phase v1alpha1.Phase) outcome { return waits(phase, lookAgain) }
	otherHost := func(f *Facts) { f.Host.UID = "h-2" }
	step := asking(v1alpha1.StepPowerOff)
	check(t, []row{
		{name: "the key is not set", facts: in(off, seenOn, machineUnreadable), want: stands(off)},
		{name: "also when its time is up", facts: in(off, seenOn, machineUnreadable), after: powerOffTimeout, want: stores(aborted, v1alpha1.ReasonHostUnavailable).lookingAgain(powerOffTimeout + lookAgain)},
		{name: "it stays until its time is up", facts: in(off, append(proven, machineUnreadable)...), want: stands(off)},
		{name: "and no longer", facts: in(off, append(proven, machineUnreadable)...), after: powerOffTimeout, want: stores(aborted, v1alpha1.ReasonHostUnavailable).lookingAgain(powerOffTimeout + lookAgain)},
		{name: "then it goes", facts: in(aborted, keyed, machineUnreadable), want: again(does(aborted, RemoveKey))},
		{name: "one that has not begun waits again", facts: in(off, unbegun, machineUnreadable), want: again(stores(v1alpha1.Pending, "Pending"))},
		{name: "the Node is waited for", facts: settled(in(fenced, machineUnreadable)), want: stands(fenced)},
		{name: "as long as it may take", facts: settled(in(fenced, machineUnreadable)), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn").lookingAgain(isolateTimeout + lookAgain), node: v1alpha1.ReasonNodeUnreadable},
		{name: "it is not deleted", facts: in(isolating, machineUnreadable), want: stands(isolating)},
		{name: "and the host comes on", facts: in(isolating, machineUnreadable), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn").lookingAgain(isolateTimeout + lookAgain)},
		{name: "but not that of a person", facts: in(isolating, step, machineUnreadable), after: isolateTimeout, want: stores(v1alpha1.Holding, "Holding").lookingAgain(isolateTimeout + lookAgain)},
		{name: "who holds it off", facts: in(v1alpha1.Holding, step, machineUnreadable), after: time.Hour, want: stands(v1alpha1.Holding).lookingAgain(time.Hour + lookAgain)},
		{name: "until he takes it back", facts: in(v1alpha1.Holding, step, machineUnreadable, deleting), want: again(stores(v1alpha1.PoweringOn, "PoweringOn"))},
		{name: "it is taken back", facts: in(off, append(proven, machineUnreadable, deleting)...), want: again(stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn))},
		{name: "the host is let on", facts: in(v1alpha1.PoweringOn, keyed, machineUnreadable), want: again(does(v1alpha1.PoweringOn, RemoveKey))},
		{name: "but not another one", facts: in(v1alpha1.PoweringOn, keyed, machineUnreadable, otherHost), want: stands(v1alpha1.PoweringOn)},
		{name: "a person keeps it off: that wait goes on", facts: settled(in(v1alpha1.PoweringOn, asking(v1alpha1.StepPowerOn), userOff, machineUnreadable)), after: time.Hour, want: stands(v1alpha1.PoweringOn).lookingAgain(time.Hour + lookAgain)},
		{name: "nothing is put back, and that clock stops", facts: in(v1alpha1.Restoring, machineUnreadable), after: nodeTimeout, want: stores(v1alpha1.Restoring, "Restoring").lookingAgain(nodeTimeout + lookAgain)},
		{name: "the Node of a cycle that is taken back has its time", facts: in(v1alpha1.WaitingForNode, step, machineUnreadable, deleting), after: nodeTimeout, want: stores(aborted, v1alpha1.ReasonWithdrawn).lookingAgain(nodeTimeout + lookAgain)},
		{name: "the Node is waited for, and no clock runs", facts: in(v1alpha1.WaitingForNode, machineUnreadable), after: 24 * time.Hour, want: stands(v1alpha1.WaitingForNode).lookingAgain(24*time.Hour + lookAgain)},
		{name: "after the end the key goes", facts: in(done, keyed, machineUnreadable), want: again(does(done, RemoveKey))},
		{name: "and the rest waits", facts: in(done, machineUnreadable), want: stands(done)},
	})
}
