package cycle

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// fail ends an attempt. Another one follows, unless it was the last.
func (d *draft) fail(reason, message string) {
	switch {
	case d.f.withdrawn() && !d.keepsOff() && d.keptFromComingOn():
		// That says nothing about the host, so it gets no mark.
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
	case d.s.Attempt < d.f.attempts() && d.f.Full() && !d.f.withdrawn():
		d.enter(v1alpha1.CoolingDown, message)
		d.s.NextAttemptAt = new(metav1.NewTime(d.now.Add(CoolDown)))
	case d.keepsOff():
		d.giveUp(v1alpha1.Failed, reason, message)
	default:
		d.end(v1alpha1.Failed, reason, message)
	}
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
	d.s.SuspendedSince, d.s.PausedSince, d.s.UnavailableSince = nil, nil, nil
	if d.suspectHost() {
		d.s.HostMarkedSince = d.time()
	}
	status := metav1.ConditionFalse
	if phase == v1alpha1.Succeeded {
		status = metav1.ConditionTrue
	}
	d.condition(v1alpha1.ConditionSucceeded, status, reason, message)
	if undone := d.undone(); undone != "" {
		d.condition(v1alpha1.ConditionSucceeded, status, reason, message+undone)
	}
}

// undone says what the end leaves undone: something is still owed to the Node, or nobody replaces the machine.
func (d *draft) undone() (text string) {
	m := d.f.Machine
	if m.Gone {
		return ""
	}
	switch {
	case !d.outOfService():
	case d.s.Node.Backup != nil:
		text = "; what Node " + d.s.Node.Name + " had is kept in status.node.backup, and put back if the Node comes while this RebootRemediation exists"
	case d.taintsNode():
		text = "; Node " + d.s.Node.Name + " has the taint " + OutOfService.Key + ", which goes if the Node comes back while this RebootRemediation exists"
	}
	ended := Facts{Spec: d.f.Spec, Status: d.s, Machine: m, Host: d.f.Host}
	if ended.replaceable() && !m.Owned && d.f.MachineUnreadable == "" {
		text += "; no controller owns the machine, so nobody replaces it"
	}
	return text
}

// clean removes whatever an ended cycle has left, and removes the finalizer last.
func (d *draft) clean() {
	f, onHost := d.f, d.undoneOnHost()
	switch {
	case onHost == RemoveKey:
		d.choose(onHost)
	case f.MachineUnreadable != "":
		// The rest is about the Machine.
	case onHost != Nothing:
		// The owner may delete the Machine right after it is asked to.
		d.choose(onHost)
	case d.answers():
		d.choose(DropAll)
	case f.escalates():
		d.escalate()
	case f.Machine.ByAnnotation && !f.Machine.Gone && (f.Full() || len(d.inTime()) > 0):
		d.done = d.inTime()
		d.choose(DropAll)
	default:
		d.choose(RemoveFinalizer)
	}
}

// answers reports whether a person's annotation asked for what this cycle has done.
func (d *draft) answers() bool {
	return d.s.Phase == v1alpha1.Succeeded && d.s.AskedInTime && d.f.Machine.Asked
}

// escalate asks the owner to replace the Machine. It waits during a pause, because the owner would act in the middle of it on an
// old verdict, and while another RebootRemediation cycles the host.
func (d *draft) escalate() {
	switch {
	case d.f.Paused != "":
		d.awaitPauseToEnd()
	case d.f.atWork() != nil:
		// That cycle may heal the machine, which is then judged again.
		d.standBack()
		d.recheckBy(d.now.Add(lookAgain))
	case !d.toBeJudged():
		d.choose(MarkForOwner)
	}
}

// afterEnd puts a Node back in service that comes after the end, while the request exists; also if the machine is to be replaced,
// because that may take long or be cancelled. A deleted request stays as long as the Node may take to come back. afterEnd also
// removes the mark of a host that works again, but a deleted request does not stay for that.
func (d *draft) afterEnd() {
	m := d.f.Machine
	seen := d.f.MachineUnreadable == ""
	switch {
	case !d.outOfService() && d.s.HostMarkedSince == nil, seen && (m.Gone || m.UID != d.s.MachineUID), d.f.Deleting && d.expired():
		d.releaseRequest()
	case !seen:
	case d.outOfService():
		d.returnNode()
	default:
		d.returnHost()
	}
}

// releaseRequest lets a deleted request go that stayed for its Node.
func (d *draft) releaseRequest() {
	if d.f.NodeFinalizer {
		d.choose(RemoveNodeFinalizer)
	}
}

// expired reports whether a deleted request has stayed for its Node long enough.
func (d *draft) expired() bool {
	return d.passed(new(metav1.NewTime(d.f.DeletingSince)), d.f.Spec.NodeTimeout())
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
	d.condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, cmp.Or(string(d.s.Outcome), string(d.s.Phase)), message)
}

// cameAfterEnd reports whether the Node has come after the end: it is another Node than before, or the same one after a boot. If the
// last attempt did not have the host off, the boot was in an earlier attempt, so the boot ID need not have changed since.
func (d *draft) cameAfterEnd() bool {
	node, recorded := d.f.Node.Node, d.s.Node
	switch {
	case d.f.Node.State != NodeFound || !node.DeletionTimestamp.IsZero():
		return false
	case !d.recorded(node):
		return true
	case !Ready(node) || !reportedAfter(node, d.s.FinishedAt):
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
		{v1alpha1.Failed, v1alpha1.ReasonMachineUnhealthy},
		{v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut},
	}
	for i := range exits {
		if end := (End{exits[i].phase, v1alpha1.Outcome(exits[i].outcome)}); !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	return ends
}
