package cycle

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// lookForRecord is how long to wait before checking again whether a MachineRemediation has stored what it made. It does
// so right after making it.
const lookForRecord = time.Second

// pending decides whether the cycle may begin. Until then, nothing is done to the host.
func (d *draft) pending() {
	if d.s.Phase == "" {
		d.enter(v1alpha1.Pending, "Looking for the host")
		d.s.MachineUID = d.f.Machine.UID
		return
	}
	reason, message := d.unavailable()
	d.hostCondition(cmp.Or(reason, v1alpha1.ReasonHostAvailable), message)
	if other := d.f.atWork(); other != nil {
		d.awaitSibling(other)
		return
	}
	if reason != "" {
		d.awaitHost(reason, message)
		return
	}
	d.beginInLine()
}

// beginInLine begins the cycle if it is stored and the machine need not wait in line.
func (d *draft) beginInLine() {
	d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	switch {
	case d.f.NotStored != "":
		d.progress(v1alpha1.ReasonNotStored, d.f.NotStored)
		d.recheckBy(d.now.Add(lookForRecord))
	case d.f.Throttled != "":
		d.progress(v1alpha1.ReasonThrottled, d.f.Throttled)
	default:
		d.begin()
	}
}

// begin records the host and the Node. The key is set on the host afterwards; until just before that, the cycle has not begun
// (see beginOnHost).
func (d *draft) begin() {
	d.s.Host = &v1alpha1.HostIdentity{Name: d.f.Host.Name, UID: d.f.Host.UID}
	d.chooseIsolation()
	d.recordNode()
	d.s.PendingRebootSince = d.time()
	d.enter(v1alpha1.PoweringOff, "Waiting until the host is proven off")
}

// recordNode records which Node ran on the host. It keeps the backup that earlier cycles could not put back.
func (d *draft) recordNode() {
	d.takeOver()
	name := d.f.Machine.Node
	switch {
	case name == "":
		return
	case d.s.Node == nil:
		d.s.Node = &v1alpha1.NodeRecord{Name: name}
	case d.s.Node.Name != name:
		d.s.Node = &v1alpha1.NodeRecord{Name: name, OutOfService: d.s.Node.OutOfService, Backup: d.s.Node.Backup}
	}
	if d.f.Node.State == NodeFound && d.f.Node.Node.Name == name {
		d.identify(d.f.Node.Node)
	}
}

// identify records the UID and boot ID of the Node, because several Nodes may have had its name.
func (d *draft) identify(node *corev1.Node) {
	d.s.Node.UID, d.s.Node.BootID = node.UID, node.Status.NodeInfo.BootID
}

// unavailable says why the host cannot be cycled now; the reason is empty if it can.
func (d *draft) unavailable() (reason, message string) {
	h := d.f.Host
	switch {
	case h.Unread != "":
		return v1alpha1.ReasonHostNotFound, h.Unread
	case h.Missing != "":
		return v1alpha1.ReasonHostNotFound, h.Missing
	case !h.Ours:
		return v1alpha1.ReasonHostNotOurs, "The host " + h.Name + " is used by somebody else"
	case h.Deleting:
		return v1alpha1.ReasonHostDeleting, "The host " + h.Name + " is being deleted"
	case !h.Fenceable:
		return v1alpha1.ReasonNotFenceable, "The host " + h.Name + " cannot be switched off (spec.disablePowerOff)"
	case h.Obstacle != "" && h.Obstacle != v1alpha1.ReasonPowerManagementError:
		return h.Obstacle, h.Message
	}
	return h.wantedOff()
}

// passed reports whether a wait that began at since is over. If not, it schedules a look at the deadline. If nobody knows
// when the wait began, it is over: no wait may last forever.
func (d *draft) passed(since *metav1.Time, wait time.Duration) bool {
	if since == nil {
		return true
	}
	deadline := since.Add(wait)
	if !d.now.Before(deadline) {
		return true
	}
	d.recheckBy(deadline)
	return false
}
