package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

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
		{name: "until he takes it back", facts: in(v1alpha1.Holding, step, machineUnreadable, deleting), want: again(stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn))},
		{name: "it is taken back", facts: in(off, append(proven, machineUnreadable, deleting)...), want: again(stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn))},
		{name: "the host is let on", facts: in(v1alpha1.PoweringOn, keyed, machineUnreadable), want: again(does(v1alpha1.PoweringOn, RemoveKey))},
		{name: "but not another one", facts: in(v1alpha1.PoweringOn, keyed, machineUnreadable, otherHost), want: stands(v1alpha1.PoweringOn)},
		{name: "the Node is waited for, and no clock runs", facts: in(v1alpha1.WaitingForNode, machineUnreadable), after: 24 * time.Hour, want: stands(v1alpha1.WaitingForNode).lookingAgain(24*time.Hour + lookAgain)},
		{name: "after the end the key goes", facts: in(done, keyed, machineUnreadable), want: again(does(done, RemoveKey))},
		{name: "and the rest waits", facts: in(done, machineUnreadable), want: stands(done)},
	})
}
