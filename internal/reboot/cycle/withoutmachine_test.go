package cycle

import (
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// machineUnreadable makes everything but the host unreadable.
func machineUnreadable(f *Facts) {
	f.MachineUnreadable, f.Host.Ours, f.Node = "The machine cannot be read", false, NodeFacts{}
	f.Machine = MachineFacts{UID: f.Status.MachineUID, ByAnnotation: f.Machine.ByAnnotation, AsksFull: !f.Status.SingleSteps && f.Status.HoldingSince == nil}
}

// TestMachineUnreadable: while the Machine cannot be read, the host is released in time, nothing begins, and no Node is touched.
func TestMachineUnreadable(t *testing.T) {
	const off, fenced, isolating, cooling, done = v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.CoolingDown, v1alpha1.Succeeded
	again := func(o outcome) outcome { return o.lookingAgain(lookAgain) }
	proven := []change{keyed, keySeen, seenOn}
	stands := func(phase v1alpha1.Phase) outcome { return waits(phase, lookAgain) }
	otherHost := func(f *Facts) { f.Host.UID = "h-2" }
	step := asking(v1alpha1.StepPowerOff)
	check(t, []row{
		{name: "the key is not set", facts: in(off, seenOn, machineUnreadable), want: stands(off)},
		{name: "it stays until its time is up", facts: in(off, append(proven, machineUnreadable)...), want: stands(off)},
		{name: "and no longer", facts: in(off, append(proven, machineUnreadable)...), after: powerOffTimeout, want: stores(cooling, "CoolingDown").lookingAgain(powerOffTimeout + lookAgain)},
		{name: "then it goes", facts: in(cooling, keyed, machineUnreadable), want: again(does(cooling, RemoveKey))},
		{name: "and no attempt begins", facts: in(cooling, machineUnreadable), after: time.Hour, want: stands(cooling).lookingAgain(time.Hour + lookAgain)},
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
	if s := Decide(in(off, append(proven, machineUnreadable)...), noon.Add(powerOffTimeout)).Status; s.Attempt != 0 {
		t.Errorf("that the machine cannot be read counts as attempt %d", s.Attempt)
	}
}

// TestEndWithoutMachineClaimsNothing: if it is not known whether a controller owns the machine, the end does not say that
// none does.
func TestEndWithoutMachineClaimsNothing(t *testing.T) {
	s := Decide(in(v1alpha1.PoweringOn, lastAttempt, untouched, machineUnreadable), noon.Add(powerOnTimeout)).Status
	if got := messageOf(s); s.Phase != v1alpha1.Failed || strings.Contains(got, "owns") {
		t.Errorf("in phase %s: %q", s.Phase, got)
	}
}
