package cycle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// record is what really happened; decisions are judged by it.
type record struct {
	// cycles counts how often the host went off with our key on it. boots counts how often it may have come on with our key on
	// it, or after somebody removed the key.
	cycles, boots int
	// keyed says that our key was ever on the host.
	keyed bool
	// released says that the host was released.
	released bool
	// wanted is what was on the Nodes that we deleted, and has not been seen on another Node yet.
	wanted *v1alpha1.NodeBackup
	// taintedAtBoot is the boot of the host in which we tainted the Node; -1 if we have not.
	taintedAtBoot int
	// stepwise says that a person has asked for single steps, and for no full cycle since.
	stepwise bool
	// rested is the last decision to wait.
	rested Decision
}

// checkTouch checks that a Node may be deleted or tainted now.
func (w *model) checkTouch() {
	node, status := w.workload.node, w.request.status
	if _, ok := w.host.keys[simKey]; !ok {
		w.t.Fatalf("the Node is touched without our key on the host")
	}
	if w.iron.running() {
		w.t.Fatalf("the Node is touched while its host runs, or comes on: %+v", w.iron)
	}
	if o := w.host.obstacle(); o != "" || !w.host.fenceable {
		w.t.Fatalf("the Node is touched while the host cannot be believed: %s", o)
	}
	if w.host.uid != status.Host.UID || !w.host.ours {
		w.t.Fatalf("the Node is touched by the state of another host")
	}
	if status.Phase != v1alpha1.Isolating || status.Node == nil || status.Node.UID != node.UID {
		w.t.Fatalf("another Node is touched than the one that is recorded: %+v", status.Node)
	}
	if node.CreationTimestamp.After(w.iron.offAt) {
		w.t.Fatalf("a Node is touched that has registered after the host went off")
	}
	if TaintsNode(&w.request.spec, &w.request.status) {
		w.seen.taintedAtBoot = w.iron.boots
		return
	}
	if status.Node.Backup == nil {
		w.t.Fatalf("the Node is deleted without a backup")
	}
	if missing := Missing(contentOf(node), asNode(status.Node.Backup)); missing.Any() {
		w.t.Fatalf("the Node is deleted before the backup is complete: %+v is missing", missing)
	}
	w.seen.wanted = both(w.seen.wanted, contentOf(node))
}

// both returns what was on two Nodes, one after the other.
func both(earlier, later *v1alpha1.NodeBackup) *v1alpha1.NodeBackup {
	if earlier == nil {
		return later
	}
	return &v1alpha1.NodeBackup{
		Labels: merged(earlier.Labels, later.Labels), Annotations: merged(earlier.Annotations, later.Annotations),
		Taints:        append(slices.Clone(later.Taints), missingTaints(earlier.Taints, later.Taints)...),
		Unschedulable: earlier.Unschedulable || later.Unschedulable,
	}
}

// contentOf returns what was put on a Node, without what it gets by itself.
func contentOf(node *corev1.Node) *v1alpha1.NodeBackup {
	return &v1alpha1.NodeBackup{
		Labels: without(node.Labels, func(key string) bool { return key == corev1.LabelHostname }), Annotations: node.Annotations,
		Unschedulable: node.Spec.Unschedulable,
		Taints:        slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool { return t.Key != "team" }),
	}
}

func asNode(backup *v1alpha1.NodeBackup) *corev1.Node {
	node := &corev1.Node{}
	node.Labels, node.Annotations = backup.Labels, backup.Annotations
	node.Spec.Taints, node.Spec.Unschedulable = backup.Taints, backup.Unschedulable
	return node
}

// checkUntaint checks that the taint may go now.
func (w *model) checkUntaint() {
	if w.seen.taintedAtBoot >= 0 && w.iron.boots <= w.seen.taintedAtBoot {
		w.t.Fatalf("the taint goes before the host has booted again")
	}
	w.seen.taintedAtBoot = -1
}

// checkMissing checks what is put back: it was there before, and is not there now.
func (w *model) checkMissing(missing MissingParts) {
	for key := range missing.Labels {
		if _, ok := w.workload.node.Labels[key]; ok {
			w.t.Fatalf("label %s would be overwritten", key)
		}
	}
	for key := range missing.Annotations {
		if _, ok := w.workload.node.Annotations[key]; ok {
			w.t.Fatalf("annotation %s would be overwritten", key)
		}
	}
}

// checkSetKey checks that our key may be set now.
func (w *model) checkSetKey() {
	status := w.request.status
	w.seen.keyed = true
	if status.BeganAt == nil {
		w.t.Fatalf("our key is set before the record says that the cycle has begun")
	}
	if w.host.uid != status.Host.UID {
		w.t.Fatalf("our key is set on another host")
	}
	if w.seen.released {
		w.t.Fatal("our key is set again after the host was let go of")
	}
	if status.Phase.Ended() || !w.request.finalizer {
		w.t.Fatalf("our key is set, and nobody is there to take it away")
	}
	if !w.host.fenceable {
		w.t.Fatalf("our key is set on a host that cannot be switched off, and would reboot for ever")
	}
}

// checkRemoveKey checks that our key may go now.
func (w *model) checkRemoveKey() {
	status := w.request.status
	if w.host.uid != status.Host.UID {
		w.t.Fatalf("our key is taken from another host")
	}
	allowed := []v1alpha1.Phase{v1alpha1.PoweringOn, v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted}
	if !slices.Contains(allowed, status.Phase) {
		w.t.Fatalf("the host is let go of in phase %s", status.Phase)
	}
}

// checkStatus checks a change of the record.
func (w *model) checkStatus(before, after v1alpha1.RebootRemediationStatus) {
	if before.Phase.Ended() && before.Phase != after.Phase {
		w.t.Fatalf("a cycle that has ended as %s goes on as %s", before.Phase, after.Phase)
	}
	if before.BeganAt != nil && !before.BeganAt.Equal(after.BeganAt) {
		w.t.Fatalf("the cycle began at %s, and then at %s", before.BeganAt, after.BeganAt)
	}
	if after.Phase.Ended() && after.BeganAt == nil && w.seen.keyed {
		w.t.Fatalf("ended as %s without a beginning, and our key was on the host", after.Phase)
	}
	inService := before.Phase == v1alpha1.Restoring && after.Phase == v1alpha1.Succeeded
	if w.seen.wanted != nil && (inService || before.Phase.Ended() && backupOf(before) != nil && !w.takenOver()) {
		w.checkRestored()
	}
	if had, has := backupOf(before), backupOf(after); had != nil && has == nil && !after.Phase.Ended() && !inService && !w.takenOver() {
		w.t.Fatalf("the backup is dropped in phase %s", after.Phase)
	}
	if after.Phase == v1alpha1.Succeeded && before.Phase != after.Phase {
		w.checkSuccess(before, after)
	}
	if before.Phase == v1alpha1.Holding && after.Phase != before.Phase {
		w.checkHold(after)
	}
	if before.Phase == v1alpha1.Pending && before.PendingRebootSince != nil {
		w.t.Fatalf("the host is not asked to be off, and the record says so")
	}
}

// takenOver reports whether another RebootRemediation looks after the Node.
func (w *model) takenOver() bool {
	return slices.ContainsFunc(w.earlier, func(other v1alpha1.RebootRemediation) bool {
		return other.Status.BeganAt != nil && OwesNode(&other.Status)
	})
}

// checkHold checks the end of Holding: only the person who asked for it ends it, unless it cannot go on.
func (w *model) checkHold(after v1alpha1.RebootRemediationStatus) {
	m, h := w.machine, w.host
	switch {
	case !w.seen.stepwise, m.plain, m.keys[v1alpha1.StepPowerOn], after.Phase == v1alpha1.Fenced && m.keys[v1alpha1.StepDelete]:
	case w.request.deleting, m.gone, !h.exists, !h.fenceable, !h.ours, w.request.status.Host != nil && h.uid != w.request.status.Host.UID:
	default:
		w.t.Fatalf("a host that a person has switched off is let go of, in phase %s: %+v", after.Phase, m)
	}
}

// checkListed checks that an end is in the list of all ends.
func (w *model) checkListed(f Facts, d Decision) {
	end := End{d.Status.Phase, d.Status.Outcome}
	if end.Phase.Ended() && !f.Status.Phase.Ended() && !slices.Contains(Ends(), end) {
		w.t.Fatalf("%v is missing in Ends", end)
	}
}

// checkGivenUp checks that a record that has stayed for its Node may go now.
func (w *model) checkGivenUp() {
	if w.machine.gone || !OwesNode(&w.request.status) {
		return
	}
	if !w.request.deleting || w.now.Before(w.request.deletingAt.Add(w.request.spec.NodeTimeout())) {
		w.t.Fatalf("the Node is given up too early")
	}
}

// note records what a change of the status means, once it is stored.
func (w *model) note(after v1alpha1.RebootRemediationStatus) {
	switch after.Phase {
	case v1alpha1.PoweringOn:
		w.seen.released = true
	case v1alpha1.Succeeded:
		w.seen.wanted = nil
	default:
	}
}

func backupOf(status v1alpha1.RebootRemediationStatus) *v1alpha1.NodeBackup {
	if status.Node == nil {
		return nil
	}
	return status.Node.Backup
}

// checkRestored checks that everything that was on the Nodes that we deleted is there again. A value may be out of date, but
// nothing may be missing.
func (w *model) checkRestored() {
	if w.workload.node == nil {
		return
	}
	if missing := Missing(w.seen.wanted, w.workload.node); missing.Any() {
		w.t.Fatalf("%+v is lost", missing)
	}
}

// checkSuccess checks a success: the host was off, and the system has booted since.
func (w *model) checkSuccess(before, status v1alpha1.RebootRemediationStatus) {
	if node := w.workload.node; before.Phase == v1alpha1.Restoring && (node == nil || !Ready(node)) {
		w.t.Fatalf("a success, and the Node is not Ready")
	}
	if w.seen.cycles == 0 && w.iron.offAt.IsZero() {
		w.t.Fatalf("a success, and the host was never off")
	}
	if w.iron.boots == 0 {
		w.t.Fatalf("a success, and the host has not booted")
	}
	if w.workload.node != nil && Tainted(w.workload.node) && TaintsNode(&w.request.spec, &w.request.status) {
		w.t.Fatalf("a success, and the Node is still out of service")
	}
	if status.Node != nil && status.Node.Backup != nil {
		w.t.Fatalf("a success, and the backup is still there")
	}
}

// checkEnd checks that the record may be released now, and what is left undone.
func (w *model) checkEnd() {
	status := w.request.status
	if w.host.exists && status.Host != nil && w.host.uid == status.Host.UID {
		if _, ok := w.host.keys[simKey]; ok || w.host.keys[simProbe] == probeOurs {
			w.t.Fatalf("the end, and our key is on the host: %v", w.host.keys)
		}
	}
	w.checkHostMarked()
	end := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	if !status.Phase.Ended() || end == nil {
		w.t.Fatalf("the record is let go of in phase %s", status.Phase)
	}
	if end.Reason == v1alpha1.ReasonWithdrawn {
		tainted := w.seen.taintedAtBoot >= 0 && w.workload.node != nil && slices.ContainsFunc(w.workload.node.Spec.Taints, OurTaint)
		if status.Phase == v1alpha1.Aborted && (w.seen.wanted != nil || tainted) {
			w.t.Fatalf("%s, and the Node has not got back what it had", end.Reason)
		}
	}
}

// checkHostMark checks that a host may be marked, or the mark be removed: the cycle has ended, and the mark is ours.
func (w *model) checkHostMark(action Action) {
	status := w.request.status
	if status.Host == nil || w.host.uid != status.Host.UID {
		w.t.Fatalf("another host is marked")
	}
	worksAgain := !w.request.finalizer && w.workload.node != nil && Ready(w.workload.node)
	if wanted := map[Action]v1alpha1.Phase{MarkHost: v1alpha1.Failed, UnmarkHost: v1alpha1.Succeeded}[action]; status.Phase != wanted && (action != UnmarkHost || !worksAgain) {
		w.t.Fatalf("%s in phase %s", action, status.Phase)
	}
	if w.host.unhealthy == probeTheirs {
		w.t.Fatalf("the mark of somebody else is changed")
	}
}

// checkHostMarked checks the mark at the end: a host that was cycled in vain has one, and one that works again has none of ours.
func (w *model) checkHostMarked() {
	status := w.request.status
	if !w.host.exists || status.Host == nil || w.host.uid != status.Host.UID {
		return
	}
	reason := reasonOf(status, v1alpha1.ConditionSucceeded)
	suspectHost := reason == v1alpha1.ReasonPowerOffTimedOut || reason == v1alpha1.ReasonPowerOnTimedOut || reason == v1alpha1.ReasonNodeTimedOut
	switch {
	case status.Phase == v1alpha1.Succeeded && w.host.unhealthy == probeOurs:
		w.t.Fatalf("the host works again, and is marked as unhealthy")
	case status.Phase == v1alpha1.Failed && suspectHost && w.host.unhealthy == "":
		w.t.Fatalf("the cycle was in vain (%s), and the host may be handed out again", reason)
	}
}

// checkWait checks a decision to wait: there is a deadline, or a person or program wants the host off.
func (w *model) checkWait(d Decision) {
	w.seen.rested = d
	if !d.RecheckAt.IsZero() {
		if !d.RecheckAt.After(w.now) {
			w.t.Fatalf("waits until %s, which is past", d.RecheckAt)
		}
		return
	}
	if d.Status.Phase == v1alpha1.Holding || (d.Status.Phase.Ended() && !w.request.finalizer) || w.request.deleting && !w.request.finalizer {
		return
	}
	reason := reasonOf(d.Status, v1alpha1.ConditionSucceeded)
	if d.Status.SuspendedSince != nil || reason == v1alpha1.ReasonThrottled {
		return
	}
	w.t.Fatalf("waits without a deadline in phase %s: %+v", d.Status.Phase, d.Status.Conditions)
}
