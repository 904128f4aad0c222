package cycle

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestEnds: an ended cycle removes what is left, one thing after the other.
func TestEnds(t *testing.T) {
	const done, failed, aborted = v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted
	plain := func(f *Facts) { f.Machine.ByAnnotation, f.Machine.AsksFull = true, true }
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
		{name: "clearing up: the key", facts: in(done, keyed), want: does(done, RemoveKey)},
		{name: "clearing up: the question", facts: in(done, probed), want: does(done, RemoveKey)},
		{name: "clearing up: even of a host that others use now", facts: in(done, keyed, ofOthers), want: does(done, RemoveKey)},
		{name: "clearing up: not that of another host", facts: in(done, keyed, otherHost), want: does(done, RemoveFinalizer)},
		{name: "clearing up: no host is left", facts: in(done, missing), want: does(done, RemoveFinalizer)},
		{name: "clearing up: the annotations", facts: in(done, plain), want: does(done, DropAll)},
		{name: "clearing up: the machine is gone", facts: in(done, machineGone), want: does(done, RemoveFinalizer)},
		{name: "clearing up: the finalizer last", facts: in(done), want: does(done, RemoveFinalizer)},
		{name: "clearing up: then nothing", facts: in(done, noFinalizer), want: waits(done, 0)},
		{name: "clearing up: nothing either when it is deleted", facts: in(done, noFinalizer, deleting), want: waits(done, 0)},
		{name: "after the end: the key first", facts: in(failed, tried, keyed), want: ends(RemoveKey)},
		{name: "after the end: then the owner", facts: in(failed, tried), want: ends(MarkForOwner)},
		{name: "after the end: who knows", facts: in(failed, tried, markedAlready), want: ends(RemoveFinalizer)},
		{name: "after the end: there is none", facts: in(failed, tried, notOwned), want: ends(RemoveFinalizer)},
		{name: "after the end: nobody wants it any more", facts: in(failed, tried, deleting), want: ends(RemoveFinalizer)},
		{name: "after the end: the machine is well after all", facts: in(failed, tried, healthy), want: ends(RemoveFinalizer)},
		{name: "after the end: asked for single steps", facts: in(failed, tried, asking()), want: ends(RemoveFinalizer)},
		{name: "after the end: asked for all", facts: in(failed, tried, plain), want: ends(MarkForOwner)},
		{name: "after the end: not when it is aborted", facts: in(aborted, tried), want: does(aborted, RemoveFinalizer).saying(v1alpha1.ReasonNodeTimedOut)},
		{name: "after the end: not off", facts: in(failed, because(v1alpha1.ReasonPowerOffTimedOut)), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonPowerOffTimedOut)},
		{name: "after the end: not on", facts: in(failed, because(v1alpha1.ReasonPowerOnTimedOut)), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonPowerOnTimedOut)},
		{name: "after the end: the host is gone, in the midst of it", facts: in(failed, unavailable, hostGone), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonHostUnavailable)},
		// There is nothing to cycle: a machine that a health check calls sick would stay so forever. A person who asks for a
		// reboot does not ask for another machine; and pausing is deliberate, so it never escalates.
		{name: "after the end: there never was a host", facts: in(failed, unavailable, neverBegun, none, byHealthCheck), want: unavailableDoes(MarkForOwner)},
		{name: "after the end: it does not run the machine", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostNotProvisioned), byHealthCheck), want: unavailableDoes(MarkForOwner)},
		{name: "after the end: but that of somebody else", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostNotProvisioned), ofOthers, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: where it is cannot be found out", facts: in(failed, unavailable, neverBegun, missing, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: there is one by now", facts: in(failed, unavailable, neverBegun, thereByNow, byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: another one is in its place", facts: in(failed, unavailable, otherHost), want: unavailableDoes(MarkForOwner)},
		{name: "after the end: well, and the machine is sick all the same", facts: in(failed, because(v1alpha1.ReasonMachineUnhealthy), byHealthCheck), want: does(failed, MarkForOwner).saying(v1alpha1.ReasonMachineUnhealthy)},
		{name: "after the end: it is paused, says a health check", facts: in(failed, unavailable, neverBegun, obstacleIs(v1alpha1.ReasonHostPaused), byHealthCheck), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: there never was one, and a person asked", facts: in(failed, unavailable, neverBegun, none), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: there never was one, and nobody owns it", facts: in(failed, unavailable, neverBegun, none, byHealthCheck, notOwned), want: unavailableDoes(RemoveFinalizer)},
		{name: "after the end: the host could not be worked with", facts: in(failed, unavailable, hostSays(v1alpha1.ReasonHostPaused)), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonHostUnavailable)},
		{name: "after the end: there was no host", facts: in(failed, unavailable, hostGone, func(f *Facts) { f.Status.Attempt = 0 }), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonHostUnavailable)},
		{name: "after the end: the Node is back, and cannot be restored", facts: in(failed, because(v1alpha1.ReasonRestoreTimedOut)), want: does(failed, RemoveFinalizer).saying(v1alpha1.ReasonRestoreTimedOut)},
	})
}

// TestTakenBack: before the Node is touched, a withdrawn cycle ends at once; after that, the host comes on, and the Node
// gets back what it had.
func TestTakenBack(t *testing.T) {
	withdrawn, recovered := stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn), stores(v1alpha1.Aborted, v1alpha1.ReasonRecovered)
	release := stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "before the Node is touched: PoweringOff, deleted", facts: in(v1alpha1.PoweringOff, deleting), want: withdrawn},
		{name: "before the Node is touched: PoweringOff, healthy", facts: in(v1alpha1.PoweringOff, healthy), want: recovered},
		{name: "before the Node is touched: PoweringOff, no annotation left", facts: in(v1alpha1.PoweringOff, asking()), want: withdrawn},
		{name: "before the Node is touched: Fenced, deleted", facts: in(v1alpha1.Fenced, deleting), want: withdrawn},
		{name: "before the Node is touched: Fenced, healthy", facts: in(v1alpha1.Fenced, healthy), want: recovered},
		{name: "after the Node was touched: PoweringOff of a further attempt", facts: in(v1alpha1.PoweringOff, deleting, outOfServiceSince), want: release},
		{name: "after the Node was touched: healthy in a further attempt", facts: in(v1alpha1.PoweringOff, healthy, outOfServiceSince), want: release},
		{name: "after the Node was touched: Isolating, deleted", facts: in(v1alpha1.Isolating, deleting), want: release},
		{name: "after the Node was touched: Isolating, healthy", facts: in(v1alpha1.Isolating, healthy), want: release},
		{name: "after the Node was touched: Holding, deleted", facts: in(v1alpha1.Holding, deleting), want: withdrawn},
		{name: "after the Node was touched: Holding without the Node, deleted", facts: in(v1alpha1.Holding, deleting, outOfServiceSince), want: release},
		{name: "after the Node was touched: PoweringOn, deleted", facts: in(v1alpha1.PoweringOn, deleting, keyed), want: does(v1alpha1.PoweringOn, RemoveKey)},
		{name: "after the Node was touched: WaitingForNode, deleted", facts: in(v1alpha1.WaitingForNode, deleting), want: waits(v1alpha1.WaitingForNode, nodeTimeout)},
		{name: "after the Node was touched: Restoring, deleted", facts: in(v1alpha1.Restoring, deleting), want: does(v1alpha1.Restoring, RestoreNode).lookingAgain(nodeTimeout)},
		{name: "Holding is not over because the machine is healthy", facts: in(v1alpha1.Holding, asking(), healthy), want: waits(v1alpha1.Holding, 0)},
	})
}

// TestGroundIsGone: if the machine or the host is gone, the cycle ends, in each phase in which something may have been done.
func TestGroundIsGone(t *testing.T) {
	gone := func(f *Facts) { f.Host = HostFacts{Missing: "The host h1 does not exist"} }
	replaced := func(f *Facts) { f.Host.UID = "h-2" }
	var rows []row
	for _, phase := range []v1alpha1.Phase{
		v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding, v1alpha1.PoweringOn, v1alpha1.WaitingForNode, v1alpha1.Restoring, v1alpha1.CoolingDown,
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

// TestOrphans: an ended request removes whatever it finds of ours on the host.
func TestOrphans(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted} {
		check(t, []row{{name: string(phase), facts: in(phase, keyed, probed, deleting), want: does(phase, RemoveKey)}})
	}
}
