package cycle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// waitForNode waits until the Node is back, once the host is on.
func (d *draft) waitForNode() {
	switch reason, _ := d.keptOffByOthers(); {
	case d.back():
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; Sickbay is restoring what it had")
	case reason != "" && !d.f.withdrawn():
		// It is off again, because somebody wants it off.
		d.s.LastPoweredOn = nil
		d.release()
	case d.f.Host.Obstacle == v1alpha1.ReasonHostServicing && !d.f.withdrawn():
		// Firmware work takes as many reboots as it needs. That time does not count either.
		d.describeHost()
		d.suspend()
	case d.resume():
		d.restart()
		d.describeHost()
	case d.overdue():
		d.fail(v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
	}
}

// back reports whether the Node has come back. If there was none while the host was off, any Node has come since, Ready or not; it must
// get back what it had before anything runs there. Otherwise the Node must have booted since, and be Ready.
func (d *draft) back() bool {
	node := d.f.Node.Node
	switch {
	case d.f.Node.State != NodeFound || !node.DeletionTimestamp.IsZero():
		return false
	case d.s.PoweredOffAt == nil:
		// The host is not proven off any more, or was so in an earlier cycle. Its Node has come if it reports now, or if it is another
		// Node. A Node that is marked Ready may be dead without anybody knowing.
		if noderefutil.IsNodeReady(node) {
			return reportedAfter(node, d.s.LastPoweredOn)
		}
		return d.outOfService() && !d.recorded(node)
	case d.registeredSince(node):
		return true
	default:
		return noderefutil.IsNodeReady(node) && d.booted(node)
	}
}

// registeredSince reports whether a Node has registered since the host was off, and is another one than before. If
// nobody looked while there was no Node, it goes by when the host was off.
func (d *draft) registeredSince(node *corev1.Node) bool {
	if d.recorded(node) {
		return false
	}
	return d.s.NodeGoneAt != nil || (d.outOfService() && d.s.PoweredOffAt != nil && d.s.PoweredOffAt.Before(&node.CreationTimestamp))
}

// booted reports whether a Node has booted since the host was off.
func (d *draft) booted(node *corev1.Node) bool {
	if d.recorded(node) && d.s.Node.BootID != "" {
		return node.Status.NodeInfo.BootID != d.s.Node.BootID
	}
	return reportedAfter(node, d.s.LastPoweredOn)
}

// recorded reports whether a Node is, or may be, the one that was recorded.
func (d *draft) recorded(node *corev1.Node) bool {
	return d.s.Node != nil && (d.s.Node.UID == "" || d.s.Node.UID == node.UID)
}

// restore puts back what is missing on the Node, and checks that it is there and that the Node is Ready.
func (d *draft) restore() {
	found := d.f.Node.State == NodeFound && d.f.Node.Node.DeletionTimestamp.IsZero()
	missing := d.undoneOnNode(found)
	switch {
	case found && missing == Nothing && noderefutil.IsNodeReady(d.f.Node.Node):
		d.finishRestoring()
	case d.stopsClock():
		if found && missing != Nothing {
			d.choose(missing)
		}
	case d.overdue():
		d.giveUpRestoring()
	case found && missing != Nothing:
		d.choose(missing)
	}
}

// undoneOnNode returns what is still to be done to the Node until it is in service again.
func (d *draft) undoneOnNode(found bool) Action {
	switch recorded := d.s.Node; {
	case !found:
	case d.taintsNode() && slices.ContainsFunc(d.f.Node.Node.Spec.Taints, OurTaint):
		return UntaintNode
	case recorded != nil && recorded.Backup != nil && Missing(recorded.Backup, d.f.Node.Node).Any():
		return RestoreNode
	}
	return Nothing
}

func (d *draft) finishRestoring() {
	d.setInService()
	d.end(v1alpha1.Succeeded, string(v1alpha1.Succeeded), "The host has been off and is on again, and its Node is back and Ready")
}

// setInService records that the Node has everything that it had.
func (d *draft) setInService() {
	d.condition(v1alpha1.ConditionNodeRestored, metav1.ConditionTrue, v1alpha1.ReasonNodeRestored, "")
	if d.s.Node != nil {
		d.s.Node.Backup, d.s.Node.OutOfService = nil, false
	}
}

// giveUpRestoring ends the wait for a Node that is back, but not as it was. That something cannot be put back says nothing against the host.
// But it does if the Node is gone again or not Ready.
func (d *draft) giveUpRestoring() {
	n, timeout := d.f.Node, d.f.Spec.NodeTimeout().String()
	message := "Sickbay could not restore what the Node had within " + timeout
	if n.State == NodeFound && d.s.Node != nil && d.s.Node.Backup != nil {
		if missing := Missing(d.s.Node.Backup, n.Node); missing.Any() {
			message += ": " + missing.String()
		}
	}
	switch {
	case n.State == NodeGone || n.State == NodeNone:
		d.setNotRestored(message)
		d.fail(v1alpha1.ReasonNodeTimedOut, "The Node came back, and is gone again")
	case n.State == NodeFound && !noderefutil.IsNodeReady(n.Node):
		d.fail(v1alpha1.ReasonNodeTimedOut, "The Node came back, but was not Ready within "+timeout)
	default:
		d.setNotRestored(message)
		d.end(v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut, message)
	}
}

func (d *draft) setNotRestored(message string) {
	d.condition(v1alpha1.ConditionNodeRestored, metav1.ConditionFalse, v1alpha1.ReasonRestoreTimedOut, message)
}
