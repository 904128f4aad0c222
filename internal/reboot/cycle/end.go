package cycle

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// fail ends a cycle that did not help. What its Node had is put back after the end.
func (d *draft) fail(reason, message string) {
	if d.f.withdrawn() && !d.keepsOff() && d.keptFromComingOn() {
		// That says nothing about the host, so it gets no mark.
		reason = v1alpha1.ReasonHostUnavailable
	}
	if d.f.withdrawn() && !d.f.Full() && reason == v1alpha1.ReasonNodeTimedOut {
		// Somebody has worked on the host, and nobody would take the mark away when the Node comes after all.
		d.end(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn, message)
		return
	}
	d.end(v1alpha1.Failed, reason, message)
}

// keptFromComingOn reports whether the host cannot come on because a person or a program wants it so.
func (d *draft) keptFromComingOn() bool {
	reason, _ := d.keptOffByOthers()
	return reason != "" || (!d.f.Host.PoweredOn && temporary(d.f.Host.Obstacle))
}

// end ends the cycle. Afterwards, clean removes what is left on the host.
func (d *draft) end(phase v1alpha1.Phase, reason, message string) {
	d.s.Phase, d.s.Outcome = phase, v1alpha1.Outcome(reason)
	d.s.FinishedAt = d.time()
	d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	if d.suspectHost() {
		d.s.HostMarkedSince = d.time()
	}
	status := metav1.ConditionFalse
	if phase == v1alpha1.Succeeded {
		status = metav1.ConditionTrue
	}
	d.success(status, reason, message)
	if undone := d.undone(); undone != "" {
		d.success(status, reason, message+undone)
	}
}

// undone says what the end leaves undone on the Node.
func (d *draft) undone() string {
	switch {
	case d.f.Machine.Gone || !d.outOfService():
	case d.s.Node.Backup != nil:
		return "; what Node " + d.s.Node.Name + " had is kept in status.node.backup, and put back if the Node comes while this RebootRemediation exists"
	case d.taintsNode():
		return "; Node " + d.s.Node.Name + " has the taint " + OutOfService.Key + ", which goes if the Node comes back while this RebootRemediation exists"
	}
	return ""
}

// clean removes whatever an ended cycle has left, and removes the finalizer last.
func (d *draft) clean() {
	onHost := d.undoneOnHost()
	switch {
	case onHost == RemoveKey:
		d.choose(onHost)
	case d.f.MachineUnreadable != "":
		// The rest is about the Machine.
	case onHost != Nothing:
		d.choose(onHost)
	case d.leavesAsked():
		d.done = d.inTime()
		d.choose(DropAsked)
	default:
		d.choose(RemoveFinalizer)
	}
}

// afterEnd puts a Node back in service that comes after the end, while the request exists. A deleted request stays as long as the Node may take to come back,
// and so does any request when Sickbay drains. afterEnd also removes the mark of a host that works again, but a deleted request does not stay for that.
func (d *draft) afterEnd() {
	m := d.f.Machine
	seen := d.f.MachineUnreadable == ""
	switch {
	case !d.outOfService() && d.s.HostMarkedSince == nil, seen && (m.Gone || m.UID != d.s.MachineUID), d.givesUp():
		d.releaseRequest()
	case !seen:
	case d.outOfService():
		d.returnNode()
	default:
		d.returnHost()
	}
}

// givesUp reports whether Sickbay waits no longer for the Node of a request that was deleted, or that it hands back. Nobody looked after a Node that came
// while no manager ran, so a drain still puts that one back in service.
func (d *draft) givesUp() bool {
	came := d.outOfService() && d.cameAfterEnd()
	return (d.f.Deleting || d.f.Drains && !came) && d.expired()
}

// releaseRequest lets a request go that stayed for its Node.
func (d *draft) releaseRequest() {
	if d.f.NodeFinalizer {
		d.choose(RemoveNodeFinalizer)
	}
}

// expired reports whether a request has stayed for its Node long enough since it was deleted, or since its end when Sickbay drains. Another cycle of the machine takes over what this one owes as it
// begins, and while it has the host off, the Node cannot come; after that, the Node has its time again.
func (d *draft) expired() bool {
	since := d.f.DeletingSince
	if d.f.Drains && d.s.FinishedAt != nil {
		since = d.s.FinishedAt.Time
	}
	for i := range d.f.Siblings {
		other := &d.f.Siblings[i].Status
		if !d.outOfService() {
			break
		}
		if !other.Phase.Ended() {
			return false
		}
		if other.FinishedAt != nil && other.FinishedAt.After(since) {
			since = other.FinishedAt.Time
		}
	}
	return d.passed(new(metav1.NewTime(since)), d.f.Spec.NodeTimeout())
}

// returnNode puts the Node back in service, or leaves that to the RebootRemediation that has taken it over.
func (d *draft) returnNode() {
	if successor := d.successor(); successor != nil {
		d.handOver(successor)
		return
	}
	if d.f.atWork() != nil || !d.cameAfterEnd() {
		return
	}
	if missing := d.undoneOnNode(true); missing != Nothing {
		d.choose(missing)
		return
	}
	if d.markStays() {
		return
	}
	d.setInService()
	d.s.HostMarkedSince = nil
	d.conclude("The Node came back after the end, and has got back what it had")
}

// conclude says in the condition what became of the Node after the end.
func (d *draft) conclude(message string) {
	d.success(metav1.ConditionFalse, cmp.Or(string(d.s.Outcome), string(d.s.Phase)), message)
}

// cameAfterEnd reports whether the Node has come after the end: it is another Node than before, or the same one after a boot. If this
// cycle did not have the host off in the end, the boot was in an earlier one, so the boot ID need not have changed since.
func (d *draft) cameAfterEnd() bool {
	node, recorded := d.f.Node.Node, d.s.Node
	switch {
	case d.f.Node.State != NodeFound || !node.DeletionTimestamp.IsZero():
		return false
	case !d.recorded(node):
		return true
	case !noderefutil.IsNodeReady(node) || !reportedAfter(node, d.s.FinishedAt):
		return false
	}
	return d.s.PoweredOffAt == nil || (recorded.BootID != "" && recorded.BootID != node.Status.NodeInfo.BootID)
}

// End is one way a cycle can end.
type End struct {
	Phase   v1alpha1.Phase
	Outcome v1alpha1.Outcome
}

// Ends returns all ways a cycle can end, each once.
func Ends() []End {
	ends := []End{
		{v1alpha1.Succeeded, v1alpha1.Outcome(v1alpha1.Succeeded)},
		{v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonPowerOnTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut},
	}
	for i := range exits {
		if end := (End{exits[i].phase, v1alpha1.Outcome(exits[i].outcome)}); !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	return ends
}
