package cycle

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestEnds takes away what is left, one after the other: rows 9 and 10 of the state machine.
func TestEnds(t *testing.T) {
	const done, failed, aborted = v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted
	plain := func(f *Facts) { f.Machine.ByAnnotation, f.Machine.Plain = true, true }
	because := func(reason string) change {
		return allOf(condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason), markedUnhealthy)
	}
	tried := because(v1alpha1.ReasonNodeTimedOut)
	unavailable := because(v1alpha1.ReasonHostUnavailable)
	ends := func(action Action) outcome { return does(failed, action).saying(v1alpha1.ReasonNodeTimedOut) }
	unavailableDoes := func(action Action) outcome { return does(failed, action).saying(v1alpha1.ReasonHostUnavailable) }
	neverBegun := func(f *Facts) { f.Status.Attempt, f.Status.Host = 0, nil }
	none := func(f *Facts) { f.Host = HostFacts{Missing: "The machine has no host", None: true} }
	byHealthCheck := func(f *Facts) { f.Machine.ByHealthCheck = true }
	hostGone := allOf(none, hostSays(v1alpha1.ReasonHostNotFound))
	thereByNow := hostSays(v1alpha1.ReasonHostNotFound)
	otherHost := func(f *Facts) { f.Host.UID = "h-2" }
	check(t, []row{
		{name: "9 the key", facts: in(done, keyed), want: does(done, RemoveKey)},
		{name: "9 the question", facts: in(done, probed), want: does(done, RemoveKey)},
		{name: "9 even of a host that others use now", facts: in(done, keyed, ofOthers), want: does(done, RemoveKey)},
		{name: "9 not that of another host (I16)", facts: in(done, keyed, otherHost), want: does(done, RemoveFinalizer)},
		{name: "9 no host is left", facts: in(done, missing), want: does(done, RemoveFinalizer)},
		{name: "9 the annotations", facts: in(done, plain), want: does(done, DropAll)},
		{name: "9 the machine is gone", facts: in(done, machineGone), want: does(done, RemoveFinalizer)},
		{name: "9 the finalizer last", facts: in(done), want: does(done, RemoveFinalizer)},
		{name: "9 then nothing", facts: in(done, noFinalizer), want: waits(done, 0)},
		{name: "9 nothing either when it is deleted", facts: in(done, noFinalizer, deleting), want: waits(done, 0)},
		{name: "10 the key first", facts: in(failed, tried, keyed), want: ends(RemoveKey)},
		{name: "10 then the owner", facts: in(failed, tried), want: ends(MarkForOwner)},
		{name: "10 who knows", facts: in(failed, tried, markedAlready), want: ends(RemoveFinalizer)},
		{name: "10 there is none", facts: in(failed, tried, notOwned), want: ends(RemoveFinalizer)},
		{name: "10 nobody wants it any more", facts: in(failed, tried, deleting), want: ends(RemoveFinalizer)},
		{name: "10 the machine is well after all", facts: in(failed, tried, healthy), want: ends(RemoveFinalizer)},
		{name: "10 asked for single steps", facts: in(failed, tried, asking()), want: ends(RemoveFinalizer)},
		{name: "10 asked for all", facts: in(failed, tried, plain), want: ends(MarkForOwner)},
		{name: "10 not when it is aborted", facts: in(aborted, tried), want: does(aborted, RemoveFinalizer).saying(v1alpha1.ReasonNodeTimedOut)},
		{name: "10 not off", facts: in(failed, because(v1alpha1.ReasonPowerOffTimedOut)), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonPowerOffTimedOut)},
		{name: "10 not on", facts: in(failed, because(v1alpha1.ReasonPowerOnTimedOut)), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonPowerOnTimedOut)},
		{name: "10 the host is gone, in the midst of it", facts: in(failed, unavailable, hostGone), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonHostUnavailable)},
		// There is nothing to cycle: a machine that a health check calls sick would stay so for ever. A person who asks for a
		// reboot does not ask for another machine; and who has paused a host has his reasons.
		{name: "10 there never was a host", facts: in(failed, unavailable, neverBegun, none, byHealthCheck), want: unavailableDoes(MarkForOwner)},
		{name: "10 it does not run the machine", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostNotProvisioned), byHealthCheck), want: unavailableDoes(MarkForOwner)},
		{name: "10 but that of somebody else", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostNotProvisioned), ofOthers, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 where it is cannot be found out", facts: in(failed, unavailable, neverBegun, missing, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 there is one by now", facts: in(failed, unavailable, neverBegun, thereByNow, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 another one is in its place", facts: in(failed, unavailable, otherHost), want: unavailableDoes(MarkForOwner)},
		{name: "10 well, and the machine is sick all the same", facts: in(failed, because(v1alpha1.ReasonMachineUnhealthy), byHealthCheck), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonMachineUnhealthy)},
		{name: "10 it is paused, says a health check", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostPaused), byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 there never was one, and a person asked", facts: in(failed, unavailable, neverBegun, none), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 there never was one, and nobody owns it", facts: in(failed, unavailable, neverBegun, none, byHealthCheck, notOwned), want: unavailableDoes(RemoveFinalizer)},
		{name: "10 the host could not be worked with", facts: in(failed, unavailable, hostSays(v1alpha1.ReasonHostPaused)), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonHostUnavailable)},
		{name: "10 there was no host", facts: in(failed, unavailable, hostGone, func(f *Facts) { f.Status.Attempt = 0 }), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonHostUnavailable)},
		{name: "10 the Node is back, and cannot be restored", facts: in(failed, because(v1alpha1.ReasonRestoreTimedOut)), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonRestoreTimedOut)},
	})
}

// TestTakenBack: rows A1 and A2. Before the Node is touched it ends at once; after that the host comes on, and the Node
// gets back what it had.
func TestTakenBack(t *testing.T) {
	withdrawn, recovered := stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn), stores(v1alpha1.Aborted, v1alpha1.ReasonRecovered)
	release := stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "A1 PoweringOff, deleted", facts: in(v1alpha1.PoweringOff, deleting), want: withdrawn},
		{name: "A1 PoweringOff, healthy", facts: in(v1alpha1.PoweringOff, healthy), want: recovered},
		{name: "A1 PoweringOff, no annotation left", facts: in(v1alpha1.PoweringOff, asking()), want: withdrawn},
		{name: "A1 Fenced, deleted", facts: in(v1alpha1.Fenced, deleting), want: withdrawn},
		{name: "A1 Fenced, healthy", facts: in(v1alpha1.Fenced, healthy), want: recovered},
		{name: "A2 PoweringOff of a further attempt", facts: in(v1alpha1.PoweringOff, deleting, outOfServiceSince), want: release},
		{name: "A2 healthy in a further attempt", facts: in(v1alpha1.PoweringOff, healthy, outOfServiceSince), want: release},
		{name: "A2 Isolating, deleted", facts: in(v1alpha1.Isolating, deleting), want: release},
		{name: "A2 Isolating, healthy", facts: in(v1alpha1.Isolating, healthy), want: release},
		{name: "A2 Holding, deleted", facts: in(v1alpha1.Holding, deleting), want: withdrawn},
		{name: "A2 Holding without the Node, deleted", facts: in(v1alpha1.Holding, deleting, outOfServiceSince), want: release},
		{name: "A2 PoweringOn, deleted", facts: in(v1alpha1.PoweringOn, deleting, keyed), want: does(v1alpha1.PoweringOn, RemoveKey)},
		{name: "A2 WaitingForNode, deleted", facts: in(v1alpha1.WaitingForNode, deleting), want: waits(v1alpha1.WaitingForNode, nodeTimeout)},
		{name: "A2 Restoring, deleted", facts: in(v1alpha1.Restoring, deleting), want: does(v1alpha1.Restoring, RestoreNode).lookingAgain(nodeTimeout)},
		{name: "Holding is not over because the machine is healthy", facts: in(v1alpha1.Holding, asking(), healthy), want: waits(v1alpha1.Holding, 0)},
	})
}

// TestGroundIsGone: rows A3 and A4, in each phase in which something may have been done.
func TestGroundIsGone(t *testing.T) {
	gone := func(f *Facts) { f.Host = HostFacts{Missing: "The host h1 does not exist"} }
	replaced := func(f *Facts) { f.Host.UID = "h-2" }
	var rows []row
	for _, phase := range []v1alpha1.Phase{
		v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding, v1alpha1.PoweringOn, v1alpha1.WaitingForNode, v1alpha1.Restoring, v1alpha1.CoolingDown,
	} {
		rows = append(rows,
			row{name: "A3 machine gone, " + string(phase), facts: in(phase, machineGone), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},
			row{name: "A3 another machine, " + string(phase), facts: in(phase, func(f *Facts) { f.Machine.UID = "m-2" }), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},
			row{name: "A3 host goes to others, " + string(phase), facts: in(phase, ofOthers), want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotOurs},
			row{name: "A4 host gone, " + string(phase), facts: in(phase, gone), want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotFound},
			row{name: "A4 another host, " + string(phase), facts: in(phase, replaced), want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonHostNotFound},
		)
	}
	check(t, rows)
}

// TestOrphans: row A5, as far as it is decided here. Whatever a request that has ended finds of ours, it takes away.
func TestOrphans(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted} {
		check(t, []row{{name: string(phase), facts: in(phase, keyed, probed, deleting), want: does(phase, RemoveKey)}})
	}
}
