package cycle

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// powerOn lets go of the host and waits until it is on.
func (d *step) powerOn() {
	h := d.f.Host
	switch {
	case d.s.PowerOnReleasedAt == nil:
		d.s.PowerOnReleasedAt = d.time()
	case h.Key || h.Probe:
		d.act(RemoveKey)
	case d.heldOff():
	case h.PoweredOn:
		// That it is off was proven, so this is new; an error of some earlier command may stand for ever.
		d.s.LastPoweredOn = d.time()
		d.enter(v1alpha1.WaitingForNode, "The host is on; waits for its Node")
	case d.overdue():
		d.fail(v1alpha1.ReasonPowerOnTimedOut, "The host did not come on within "+d.f.Spec.PowerOnTimeout().String())
	}
}

// waitsForPower is what a cycle says while its host is to come on.
const waitsForPower = "Waits until the host is on"

// heldOff says that the controller waits for somebody who keeps the host off, or for a state that passes. That does not count as time that the host takes
// to come on: the wait begins when it is over. It has no deadline, since a person or a program wants it so; unless
// nobody waits for the host any more.
func (d *step) heldOff() bool {
	reason, message := d.holder()
	if h := d.f.Host; reason == "" && !h.PoweredOn && passing(h.Obstacle) {
		reason, message = h.Obstacle, h.Message
	}
	if reason != "" {
		d.hostCondition(reason, message)
		d.progress(string(v1alpha1.PoweringOn), waitsForPower+". "+message)
		if !d.f.withdrawn() {
			d.suspend()
			return true
		}
		d.resume()
		return false
	}
	if d.resume() {
		d.restart()
		d.progress(string(v1alpha1.PoweringOn), waitsForPower)
	}
	d.describeHost()
	return false
}

// holder says who keeps the host off, other than we; no reason if nobody does.
func (d *step) holder() (reason, message string) {
	switch h := d.f.Host; {
	case h.PoweredOn:
		return "", ""
	case h.OtherKeys:
		return v1alpha1.ReasonHeldByOthers, "Somebody else holds the host " + h.Name + " off, by an annotation reboot.metal3.io/..."
	case !h.Online:
		return v1alpha1.ReasonSuspendedByUser, "Somebody wants the host " + h.Name + " off (spec.online)"
	}
	return "", ""
}

// hold keeps the host off until somebody asks for more.
func (d *step) hold() {
	d.doubt()
	switch {
	case d.s.IsolatedAt == nil && d.f.asked(v1alpha1.StepDelete):
		// A wait of its own begins, if the host is not proven off any more.
		d.s.PendingRebootSince = d.time()
		d.enter(v1alpha1.Fenced, "The host is off")
	case d.f.asked(v1alpha1.StepPowerOn):
		d.release()
	case !d.f.Host.Key:
		d.act(SetKey)
	case d.s.KeySince == nil && !d.doubtful():
		d.s.KeySince = d.time()
	}
}

// holdOff begins to keep the host off for as long as it is wanted.
func (d *step) holdOff() {
	if d.s.HoldingSince == nil {
		d.s.HoldingSince = d.time()
	}
	d.enter(v1alpha1.Holding, "The host is off; nobody has asked for more")
}
