package reboot

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// powerOn lets go of the host and waits until it is on.
func (d *step) powerOn() {
	h := d.f.Host
	switch {
	case d.s.PowerOnReleasedAt == nil:
		d.s.PowerOnReleasedAt = d.time()
	case h.Key || h.Probe:
		d.act(RemoveKey)
	case d.heldOff():
	case h.PoweredOn && h.Obstacle == "":
		d.s.LastPoweredOn = d.time()
		d.hostCondition(v1alpha1.ReasonHostAvailable, "")
		d.enter(v1alpha1.WaitingForNode, "The host is on; waits for its Node")
	case d.passed(d.s.PowerOnReleasedAt, d.f.Spec.PowerOnTimeout()):
		d.fail(v1alpha1.ReasonPowerOnTimedOut, "The host did not come on within "+d.f.Spec.PowerOnTimeout().String())
	case h.Obstacle != "":
		d.hostCondition(h.Obstacle, h.Message)
	}
}

// heldOff tells that somebody else keeps the host off. That does not count as time that the host takes to
// come on: the wait begins when it is over. It has no deadline, since a person or a program wants it so.
func (d *step) heldOff() bool {
	h := d.f.Host
	switch {
	case h.PoweredOn:
		return false
	case h.OtherKeys:
		d.hostCondition(v1alpha1.ReasonHeldByOthers, "Somebody else holds the host "+h.Name+" off, by an annotation reboot.metal3.io/...")
	case !h.Online:
		d.hostCondition(v1alpha1.ReasonSuspendedByUser, "Somebody wants the host "+h.Name+" off (spec.online)")
	default:
		d.noLongerHeld()
		return false
	}
	// Unless nobody waits for it any more: then the end has to come.
	return !d.f.withdrawn() || d.now.Before(d.s.PowerOnReleasedAt.Add(d.f.Spec.PowerOnTimeout()))
}

func (d *step) noLongerHeld() {
	c := meta.FindStatusCondition(d.s.Conditions, v1alpha1.ConditionHostAvailable)
	if c != nil && (c.Reason == v1alpha1.ReasonHeldByOthers || c.Reason == v1alpha1.ReasonSuspendedByUser) {
		d.s.PowerOnReleasedAt = d.time()
		d.hostCondition(v1alpha1.ReasonHostAvailable, "")
	}
}
