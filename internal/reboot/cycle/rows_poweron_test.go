package cycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func unreleased(f *Facts)   { f.Status.PowerOnReleasedAt = nil }
func neverGone(f *Facts)    { f.Status.NodeGoneAt = nil }
func notDeleted(f *Facts)   { isolated(v1alpha1.ReasonIsolationTimedOut)(f) }
func sameNode(f *Facts)     { nodeIs(nodeOf("node-1", "boot-1"))(f) }
func rebootedNode(f *Facts) { nodeIs(nodeOf("node-1", "boot-2"))(f) }
func newNode(f *Facts)      { nodeIs(nodeOf("node-2", "boot-2"))(f) }
func noBootID(f *Facts)     { f.Status.Node.UID, f.Status.Node.BootID = "", "" }

// TestPoweringOn has the rows until the host is on.
func TestPoweringOn(t *testing.T) {
	const phase = v1alpha1.PoweringOn
	paused := obstacleIs(v1alpha1.ReasonHostPaused)
	heldByOthers, byUser := v1alpha1.ReasonHeldByOthers, v1alpha1.ReasonSuspendedByUser
	check(t, []row{
		{name: "before the key goes, the release is stored", facts: in(phase, keyed, unreleased), want: stores(phase, "PoweringOn")},
		{name: "the key goes: then the key goes", facts: in(phase, keyed), want: does(phase, RemoveKey)},
		{name: "the key goes: and a question that is open", facts: in(phase, probed), want: does(phase, RemoveKey)},
		{name: "the key goes: but not that of somebody else", facts: in(phase, otherProbe), want: waits(phase, powerOnTimeout)},
		{name: "others hold it", facts: in(phase, others), want: stores(phase, "PoweringOn"), host: heldByOthers},
		{name: "others hold it: for as long as they like", facts: settled(in(phase, others)), after: 24 * time.Hour, want: waits(phase, 0), host: heldByOthers},
		{name: "others hold it: and let go of it: the clock starts", facts: in(phase, hostSays(heldByOthers), suspended), after: time.Hour, want: stores(phase, "PoweringOn").lookingAgain(time.Hour + powerOnTimeout), host: v1alpha1.ReasonHostAvailable},
		{name: "others hold it: unless nobody waits any more", facts: settled(in(phase, others, deleting)), want: waits(phase, powerOnTimeout), host: heldByOthers},
		{name: "others hold it: and then it ends", facts: settled(in(phase, others, deleting)), after: powerOnTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)},
		{name: "kept off: its user wants it off", facts: in(phase, userOff), want: stores(phase, "PoweringOn"), host: byUser},
		{name: "kept off: for as long as he likes", facts: settled(in(phase, userOff)), after: 24 * time.Hour, want: waits(phase, 0), host: byUser},
		{name: "kept off: it is paused, detached or serviced", facts: in(phase, paused), want: stores(phase, "PoweringOn"), host: v1alpha1.ReasonHostPaused},
		{name: "kept off: for as long as it is", facts: settled(in(phase, paused)), after: 24 * time.Hour, want: waits(phase, 0), host: v1alpha1.ReasonHostPaused},
		{name: "kept off: and then the clock starts", facts: in(phase, suspended), after: time.Hour, want: stores(phase, "PoweringOn").lookingAgain(time.Hour + powerOnTimeout)},
		{name: "kept off: unless nobody waits any more", facts: settled(in(phase, paused, deleting)), after: powerOnTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)},
		{name: "kept off: by its user, and nobody waits any more", facts: settled(in(phase, userOff, deleting)), after: powerOnTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)},
		{name: "kept off: and on again: the clock starts", facts: in(phase, hostSays(byUser), suspended), after: time.Hour, want: stores(phase, "PoweringOn").lookingAgain(time.Hour + powerOnTimeout)},
		{name: "on: it is on", facts: in(phase, on), want: stores(v1alpha1.WaitingForNode, "WaitingForNode")},
		{name: "on: in the last moment", facts: in(phase, on), after: powerOnTimeout, want: stores(v1alpha1.WaitingForNode, "WaitingForNode")},
		// Nobody clears the error of a command that is no longer needed.
		{name: "on: with an old error", facts: in(phase, on, obstacleIs(v1alpha1.ReasonPowerManagementError)), want: stores(v1alpha1.WaitingForNode, "WaitingForNode")},
		{name: "too long: to the last", facts: in(phase), after: powerOnTimeout - moment, want: waits(phase, powerOnTimeout)},
		{name: "too long: too late", facts: in(phase), after: powerOnTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonPowerOnTimedOut)},
		{name: "too long: power error", facts: in(phase, obstacleIs(v1alpha1.ReasonPowerManagementError)), want: stores(phase, "PoweringOn").lookingAgain(powerOnTimeout), host: v1alpha1.ReasonPowerManagementError},
		{name: "too long: taken back", facts: in(phase, deleting), after: powerOnTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonPowerOnTimedOut)},
	})
}

// TestWaitingForNode has the rows for the wait for the Node.
func TestWaitingForNode(t *testing.T) {
	const phase = v1alpha1.WaitingForNode
	back, waiting := stores(v1alpha1.Restoring, "Restoring"), waits(phase, nodeTimeout)
	servicing := obstacleIs(v1alpha1.ReasonHostServicing)
	check(t, []row{
		{name: "a new Node: no Node", facts: in(phase), want: waiting},
		{name: "a new Node, Ready or not", facts: in(phase, newNode), want: back},
		{name: "a new Node: the workload cluster is dead", facts: in(phase, nodeUnreadable), want: waiting},
		{name: "a new Node: the machine joins at last", facts: in(phase, newNode, isolated(v1alpha1.ReasonNoNode), func(f *Facts) { f.Status.Node = nil }), want: back},
		// A different Node is not always new: this one was there all the time.
		{name: "a new Node: another one that was there before", facts: in(phase, newNode, neverGone), want: waiting},
		{name: "a new Node: and reports since", facts: in(phase, newNode, neverGone, reports(moment)), want: back},
		{name: "the same Node", facts: in(phase, sameNode, notDeleted, reports(time.Minute)), want: waiting},
		{name: "the same Node after a boot", facts: in(phase, rebootedNode, notDeleted, reports(moment)), want: back},
		{name: "the same Node: after a boot, but not Ready", facts: in(phase, rebootedNode, notDeleted), want: waiting},
		{name: "the same Node: after a boot, but on its way out", facts: in(phase, rebootedNode, notDeleted, reports(moment), nodeDeleting), want: waiting},
		{name: "the same Node: tainted, after a boot", facts: in(phase, taints, rebootedNode, isolated(v1alpha1.ReasonNodeTainted), reports(moment)), want: back},
		{name: "the same Node: unknown before, and has not reported since", facts: in(phase, rebootedNode, notDeleted, noBootID, reports(0)), want: waiting},
		{name: "the same Node: unknown before, and has", facts: in(phase, rebootedNode, notDeleted, noBootID, reports(moment)), want: back},
		{name: "firmware is worked on", facts: settled(in(phase, servicing)), after: 24 * time.Hour, want: waits(phase, 0), host: v1alpha1.ReasonHostServicing},
		{name: "firmware: and is done: the clock starts", facts: in(phase, hostSays(v1alpha1.ReasonHostServicing), suspended), after: time.Hour, want: stores(phase, "WaitingForNode"), host: v1alpha1.ReasonHostAvailable},
		{name: "firmware: but not for somebody who has gone", facts: in(phase, servicing, deleting), want: waiting},
		{name: "too long: to the last", facts: in(phase), after: nodeTimeout - moment, want: waiting},
		{name: "too long: back in the last moment", facts: in(phase, newNode), after: nodeTimeout, want: back},
		{name: "not proven off any more, and it reports", facts: in(phase, sameNode, notDeleted, deleting, reports(moment), func(f *Facts) { f.Status.PoweredOffAt, f.Status.Node.OutOfService = nil, false }), want: back},
		{name: "too long: too late", facts: in(phase), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "too long: taken back", facts: in(phase, deleting), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "its user switches it off", facts: in(phase, off, userOff), want: stores(v1alpha1.PoweringOn, "PoweringOn")},
		{name: "others switch it off", facts: in(phase, off, others), want: stores(v1alpha1.PoweringOn, "PoweringOn")},
		{name: "it is off by itself", facts: in(phase, off), want: waiting},
	})
}

// TestSwitchedOffAgain: if somebody switches a host off again, its clocks restart when it may come on.
func TestSwitchedOffAgain(t *testing.T) {
	s := Decide(in(v1alpha1.WaitingForNode, off, userOff), noon.Time).Status
	if s.PowerOnReleasedAt != nil || s.LastPoweredOn != nil {
		t.Errorf("released at %v, on at %v", s.PowerOnReleasedAt, s.LastPoweredOn)
	}
}

// TestRestoring has the rows for putting back what the Node had.
func TestRestoring(t *testing.T) {
	const phase = v1alpha1.Restoring
	again := func(o outcome) outcome { return o.lookingAgain(nodeTimeout) }
	has := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "newer"} }
	hadID := func(f *Facts) { f.Status.Node.Backup.ProviderID = "metal3://ns/h1/m1" }
	ours := func(f *Facts) { f.Node.Tainted, f.Node.Node.Spec.Taints = true, []corev1.Taint{OutOfService} }
	theirs := func(f *Facts) {
		taint := OutOfService
		taint.Value = "by hand"
		f.Node.Tainted, f.Node.Node.Spec.Taints = true, []corev1.Taint{taint}
	}
	check(t, []row{
		{name: "putting back: something is missing", facts: in(phase), want: again(does(phase, RestoreNode))},
		{name: "putting back: also before it is Ready", facts: in(phase, newNode), want: again(does(phase, RestoreNode))},
		{name: "all is back: all is there, and it is not Ready", facts: in(phase, newNode, has), want: waits(phase, nodeTimeout)},
		{name: "all is back: and never is", facts: in(phase, newNode, has), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "kept off, and nobody waits any more", facts: in(phase, newNode, has, off, userOff, deleting), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)},
		{name: "all is back: or of no interest any more", facts: in(phase, has, deleting), want: stores(v1alpha1.Succeeded, "Succeeded")},
		{name: "all is back: all is there, and newer", facts: in(phase, has), want: stores(v1alpha1.Succeeded, "Succeeded")},
		{name: "all is back: all is there in the last moment", facts: in(phase, has), after: nodeTimeout, want: stores(v1alpha1.Succeeded, "Succeeded")},
		// Cluster API's provider for Metal3 sets it only until the Machine has its nodeRef, and Cluster API finds the Node by nothing else.
		{name: "putting back: its provider ID", facts: in(phase, has, hadID), want: again(does(phase, RestoreNode))},
		{name: "putting back: not over another one, which the API server refuses", facts: in(phase, has, hadID, func(f *Facts) { f.Node.Node.Spec.ProviderID = "another" }), want: stores(v1alpha1.Succeeded, "Succeeded")},
		{name: "all is back: the taint goes", facts: in(phase, taints, ours, has), want: again(does(phase, UntaintNode))},
		{name: "all is back: somebody else's stays", facts: in(phase, taints, theirs, has), want: stores(v1alpha1.Succeeded, "Succeeded")},
		{name: "the Node is gone again", facts: in(phase, nodeGone), want: waits(phase, nodeTimeout)},
		{name: "the Node is gone for good", facts: in(phase, nodeGone), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "the Node is on its way out", facts: in(phase, has, nodeDeleting), want: waits(phase, nodeTimeout)},
		{name: "the workload cluster is dead", facts: in(phase, nodeUnreadable), want: waits(phase, nodeTimeout)},
		{name: "kept off by a person before it is Ready", facts: in(phase, newNode, has, off, userOff), want: stores(phase, "Restoring")},
		{name: "what is missing is put back meanwhile", facts: settled(in(phase, newNode, off, userOff)), want: does(phase, RestoreNode)},
		{name: "for as long as that person likes", facts: settled(in(phase, newNode, has, off, userOff)), after: 24 * time.Hour, want: waits(phase, 0)},
		{name: "and then the clock starts", facts: in(phase, newNode, has, suspended), after: time.Hour, want: stores(phase, "Restoring").lookingAgain(time.Hour + nodeTimeout)},
		{name: "asked for a full cycle too late", facts: in(phase, until(v1alpha1.StepPowerOff), func(f *Facts) { f.Machine.AsksFull = true }), want: again(does(phase, RestoreNode))},
		// The machine is back: another cycle would not bring back what it had.
		{name: "and stays dead", facts: in(phase, nodeUnreadable), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut)},
		{name: "it cannot be put back", facts: in(phase), after: nodeTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut)},
	})
	if got := messageOf(Decide(in(phase), noon.Add(nodeTimeout)).Status); !strings.Contains(got, "label team") {
		t.Errorf("what cannot be put back is not named: %q", got)
	}
}

// TestBackupGoesWhenRestored: the backup is dropped when it is put back, with the note that the Node
// is out of service, and not before.
func TestBackupGoesWhenRestored(t *testing.T) {
	f := in(v1alpha1.Restoring)
	if s := Decide(f, noon.Add(nodeTimeout)).Status; s.Node.Backup == nil {
		t.Error("what could not be put back is thrown away")
	}
	f.Node.Node.Labels = map[string]string{"team": "a"}
	if s := Decide(f, noon.Time).Status; s.Node.Backup != nil || s.Node.OutOfService {
		t.Errorf("after a success is left: %+v", s.Node)
	}
}
