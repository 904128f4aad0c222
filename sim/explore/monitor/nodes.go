package monitor

import (
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// outOfService is what a Node had when it was taken out of service, and in which boot of its host it was tainted.
type outOfService struct {
	had     *corev1.Node
	tainted bool
	boots   int
}

// nodeChanged judges what is done to a Node.
func (m *Monitor) nodeChanged(change apimodel.Change) {
	p := m.w.Writer
	if p == nil {
		return
	}
	m.writtenBy(reboot.ControllerName, change)
	before, after := apimodel.As[*corev1.Node](change.Before), apimodel.As[*corev1.Node](change.After)
	r := history.Latest[*v1alpha1.RebootRemediation](m.w, kinds.Reboot, p.Item.Name)
	switch {
	case r == nil:
		m.w.Fail(rules.Bound, "Node %s is changed for a RebootRemediation that does not exist", before.Name)
	case after == nil || !after.DeletionTimestamp.IsZero() || (!isTainted(before) && isTainted(after)):
		m.takenOut(r, before, after != nil && isTainted(after))
	case isTainted(before) && !isTainted(after):
		m.untainted(r, before)
	default:
		m.putBack(before, after)
	}
}

// untainted checks that a host has booted since its Node was tainted.
func (m *Monitor) untainted(r *v1alpha1.RebootRemediation, node *corev1.Node) {
	if out := m.out[node.Name]; out != nil && out.tainted && m.w.Iron(m.hostOf(r)).Boots <= out.boots {
		m.w.Fail(rules.ProvenOff, "Node %s is back in service, and its host has not booted", node.Name)
	}
}

func isTainted(node *corev1.Node) bool { return slices.ContainsFunc(node.Spec.Taints, cycle.OurTaint) }

func (m *Monitor) hostOf(r *v1alpha1.RebootRemediation) string {
	return history.HostOf(r.Spec.Machine.Name)
}

// takenOut checks that a Node may be taken out of service now.
func (m *Monitor) takenOut(r *v1alpha1.RebootRemediation, node *corev1.Node, tainted bool) {
	name := m.hostOf(r)
	iron, host, recorded := m.w.Iron(name), history.Latest[*metal3v1.BareMetalHost](m.w, kinds.Host, name), r.Status.Node
	switch {
	case iron == nil || host == nil || iron.ComesOn():
		m.w.Fail(rules.ProvenOff, "Node %s is taken out of service while its host may run", node.Name)
	case !slices.Contains(keysOn(host), r.UID) && !slices.Contains(keysOn(looked[*metal3v1.BareMetalHost](m.turns[m.w.Writer], kinds.Host, name)), r.UID):
		// A person may take the key off between the look at the host and the write to the Node, which is in another cluster.
		m.w.Fail(rules.ProvenOff, "Node %s is taken out of service while nobody keeps its host off", node.Name)
	case recorded == nil || recorded.UID != node.UID || r.Status.Phase != v1alpha1.Isolating:
		m.w.Fail(rules.Bound, "Node %s is taken out of service in phase %s, and RebootRemediation %s has not recorded it", node.Name, r.Status.Phase, r.Name)
	case !tainted && (recorded.Backup == nil || lacks(recorded.Backup, node)):
		m.w.Fail(rules.Restored, "Node %s is deleted, and RebootRemediation %s has not stored all that it had", node.Name, r.Name)
	}
	m.out[node.Name] = &outOfService{had: node, tainted: tainted, boots: iron.Boots}
}

// lacks reports whether a backup lacks what people have put on a Node.
func lacks(backup *v1alpha1.NodeBackup, node *corev1.Node) bool {
	stored := &corev1.Node{}
	stored.Labels, stored.Spec.Taints = backup.Labels, backup.Taints
	return missing(node, stored)
}

// missing reports whether a Node lacks what people had put on another one.
func missing(had, node *corev1.Node) bool {
	for _, key := range history.PutOnNodes {
		if _, ok := had.Labels[key]; ok && node.Labels[key] == "" {
			return true
		}
		hasTaint := func(n *corev1.Node) bool {
			return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
		}
		if hasTaint(had) && !hasTaint(node) {
			return true
		}
	}
	return false
}

// putBack checks that nothing that is on a Node is overwritten.
func (m *Monitor) putBack(before, after *corev1.Node) {
	for key, value := range before.Labels {
		if after.Labels[key] != value {
			m.w.Fail(rules.Restored, "label %s of Node %s is overwritten", key, before.Name)
		}
	}
}

// cycleWritten judges a change of a power cycle by its controller.
func (m *Monitor) cycleWritten(before, after *v1alpha1.RebootRemediation) {
	if letsGo(before, after, cycle.NodeFinalizer) {
		m.givenUp(before)
	}
	if after == nil {
		return
	}
	if letsGo(before, after, cycle.Finalizer) {
		m.cycleOver(after)
	}
	m.statusGoesOn(before, after)
}

// letsGo reports whether a power cycle loses a finalizer.
func letsGo(before, after *v1alpha1.RebootRemediation, finalizer string) bool {
	return hasFinalizer(before, finalizer) && !hasFinalizer(after, finalizer)
}

// statusGoesOn judges a change of the status of a power cycle.
func (m *Monitor) statusGoesOn(before, after *v1alpha1.RebootRemediation) {
	b, a := &before.Status, &after.Status
	if b.BeganAt == nil && a.BeganAt != nil {
		m.cycleBegins(after)
	}
	switch {
	case b.Phase.Ended() && a.Phase != b.Phase:
		m.w.Fail(rules.History, "RebootRemediation %s, which has ended as %s, goes on as %s", after.Name, b.Phase, a.Phase)
	case b.BeganAt != nil && !b.BeganAt.Equal(a.BeganAt):
		m.w.Fail(rules.History, "RebootRemediation %s began at %s, and then at %s", after.Name, b.BeganAt, a.BeganAt)
	case a.Phase == v1alpha1.PoweringOn:
		m.released[after.UID] = true
	case a.Phase == v1alpha1.Succeeded && b.Phase != a.Phase:
		m.cycleSucceeded(after)
	}
}

// cycleBegins checks that a power cycle may begin.
func (m *Monitor) cycleBegins(r *v1alpha1.RebootRemediation) {
	if !m.isStored(r) {
		m.w.Fail(rules.Intent, "RebootRemediation %s begins, and no record has stored that it made it", r.Name)
	}
	m.consumed(r)
}

// isStored reports whether a record has stored that it made a RebootRemediation.
func (m *Monitor) isStored(reboot *v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool {
		return slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
			return a.ObjectRef != nil && a.ObjectRef.UID == reboot.UID
		})
	})
}

func hasFinalizer(r *v1alpha1.RebootRemediation, finalizer string) bool {
	return r != nil && slices.Contains(r.Finalizers, finalizer)
}

// givenUp checks that nobody gives up a Node too early.
func (m *Monitor) givenUp(r *v1alpha1.RebootRemediation) {
	machine := history.Latest[*clusterv1.Machine](m.w, kinds.Machine, r.Spec.Machine.Name)
	if !cycle.OwesNode(&r.Status) || machine == nil || !machine.DeletionTimestamp.IsZero() || machine.UID != r.Status.MachineUID {
		return
	}
	if r.DeletionTimestamp.IsZero() || m.w.Furthest.Before(r.DeletionTimestamp.Add(r.Spec.NodeTimeout())) {
		m.w.Fail(rules.Restored, "RebootRemediation %s gives up Node %s too early", r.Name, r.Status.Node.Name)
	}
	delete(m.out, r.Status.Node.Name)
}

// cycleSucceeded checks that the host was off and has booted, and that its Node is as it was, unless an earlier cycle has given that up. The host may be
// off again by now.
func (m *Monitor) cycleSucceeded(r *v1alpha1.RebootRemediation) {
	iron, machine := m.w.Iron(m.hostOf(r)), r.Spec.Machine.Name
	node := history.NodeOf(m.w, machine)
	if iron == nil || iron.OffAt.IsZero() || iron.Boots < 2 {
		m.w.Fail(rules.ProvenOff, "RebootRemediation %s has succeeded, and its host has not booted again", r.Name)
		return
	}
	if node == nil || m.owedByAnother(r) {
		return
	}
	if out := m.out[node.Name]; out != nil && (isTainted(node) || missing(out.had, node)) {
		m.w.Fail(rules.Restored, "RebootRemediation %s has succeeded, and Node %s is not as it was", r.Name, node.Name)
	}
	delete(m.out, node.Name)
}

// owedByAnother reports whether an earlier power cycle of the machine, which took its Node out of service in another way, still has to put back
// what the Node had.
func (m *Monitor) owedByAnother(r *v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(m.reboots(), func(other *v1alpha1.RebootRemediation) bool {
		return other.UID != r.UID && other.Status.MachineUID == r.Status.MachineUID && cycle.OwesNode(&other.Status)
	})
}

// notPutBack returns a Node that lacks what it had before it was taken out of service; empty if there is none.
func (m *Monitor) notPutBack() string {
	for _, node := range history.Every[*corev1.Node](m.w, kinds.Node) {
		if out := m.out[node.Name]; out != nil && missing(out.had, node) {
			return node.Name
		}
	}
	return ""
}

// cycleOver checks that nothing of a power cycle is left on its host when it is released.
func (m *Monitor) cycleOver(r *v1alpha1.RebootRemediation) {
	host := history.Latest[*metal3v1.BareMetalHost](m.w, kinds.Host, m.hostOf(r))
	if slices.Contains(keysOn(host), r.UID) || !r.Status.Phase.Ended() && r.Status.BeganAt != nil {
		m.w.Fail(rules.LetGo, "RebootRemediation %s is over in phase %s, and keeps %s off", r.Name, r.Status.Phase, m.hostOf(r))
	}
}
