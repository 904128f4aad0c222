package reboot

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// coolDown is the pause between two attempts.
const coolDown = time.Minute

// admit looks whether the cycle may begin. Nothing has been done to the host so far.
func (d *step) admit() {
	if d.s.Phase == "" {
		d.enter(v1alpha1.Pending, "Looking for the host")
		d.s.MachineUID = d.f.Machine.UID
		d.s.PendingRebootSince = d.time() // of the waiting, until the reboot itself begins
		return
	}
	deadline := d.s.PendingRebootSince.Add(d.f.Spec.PowerOffTimeout())
	reason, message := d.unavailable()
	switch {
	case reason == "":
	case reason == v1alpha1.ReasonSuspendedByUser:
		// What a person wants has no deadline.
		d.hostCondition(reason, message)
		d.progress(reason, message)
		return
	case hopeless(reason) || !d.now.Before(deadline):
		d.hostCondition(reason, message)
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
		return
	default:
		d.hostCondition(reason, message)
		d.progress(v1alpha1.ReasonHostUnavailable, message)
		d.until(deadline)
		return
	}
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
	if d.f.Throttled != "" {
		d.progress(v1alpha1.ReasonThrottled, d.f.Throttled)
		return
	}
	d.begin()
}

// begin records what the attempt is about. The host is asked afterwards.
func (d *step) begin() {
	if !d.f.asked(v1alpha1.StepPowerOff) {
		d.progress(v1alpha1.ReasonNotAsked, "Waits until the host is asked to be off: nothing else is done before")
		return
	}
	d.s.Attempt++
	d.s.Host = &v1alpha1.HostIdentity{Name: d.f.Host.Name, UID: d.f.Host.UID}
	d.recordNode()
	d.s.PendingRebootSince = d.time()
	d.s.KeySince, d.s.SeenOnAt, d.s.PoweredOffAt, d.s.IsolatedAt = nil, nil, nil, nil
	d.s.PowerOnReleasedAt, d.s.LastPoweredOn, d.s.NodeBackAt, d.s.NextAttemptAt = nil, nil, nil, nil
	d.enter(v1alpha1.PoweringOff, "Waits until the host is proven off")
}

// recordNode records which Node ran on the host. What was backed up in an attempt before is kept.
func (d *step) recordNode() {
	if d.f.Machine.Node == "" {
		return
	}
	if d.s.Node == nil || d.s.Node.Name != d.f.Machine.Node {
		d.s.Node = &v1alpha1.NodeRecord{Name: d.f.Machine.Node}
	}
	if node := d.f.Node.Node; d.f.Node.State == machinehealth.NodeFound {
		d.s.Node.UID, d.s.Node.BootID = node.UID, node.Status.NodeInfo.BootID
	}
}

// unavailable says why the host cannot be cycled now; no reason if it can.
func (d *step) unavailable() (reason, message string) {
	h := d.f.Host
	switch {
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
	case !h.Online:
		return v1alpha1.ReasonSuspendedByUser, "Somebody wants the host " + h.Name + " off (spec.online)"
	}
	return "", ""
}

// hopeless tells that waiting does not help.
func hopeless(reason string) bool {
	return reason == v1alpha1.ReasonHostNotOurs || reason == v1alpha1.ReasonHostDeleting || reason == v1alpha1.ReasonNotFenceable
}

// coolDown lets go of the host, waits, and begins the next attempt.
func (d *step) coolDown() {
	switch {
	case d.f.Host.Key || d.f.Host.Probe:
		d.act(RemoveKey)
	case d.back():
		// Late, but there: another cycle would only take it away again.
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; what it had is put back")
	case d.f.withdrawn():
		d.fail(v1alpha1.ReasonWithdrawn, "The request was taken back")
	case d.s.NextAttemptAt != nil && d.now.Before(d.s.NextAttemptAt.Time):
		d.until(d.s.NextAttemptAt.Time)
	default:
		d.again()
	}
}

// again begins the next attempt, or ends if the host has become unusable meanwhile.
func (d *step) again() {
	reason, message := d.unavailable()
	if reason == "" {
		d.begin()
		return
	}
	d.hostCondition(reason, message)
	deadline := d.s.NextAttemptAt.Add(d.f.Spec.PowerOffTimeout())
	if reason == v1alpha1.ReasonSuspendedByUser {
		return
	}
	if hopeless(reason) || !d.now.Before(deadline) {
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
		return
	}
	d.until(deadline)
}

// passed tells whether a wait that began at since is over, and else looks again when it is.
func (d *step) passed(since *metav1.Time, wait time.Duration) bool {
	if since == nil {
		return false
	}
	deadline := since.Add(wait)
	if !d.now.Before(deadline) {
		return true
	}
	d.until(deadline)
	return false
}
