package reboot

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// powerOff holds the host off until it is proven to be.
func (d *step) powerOff() {
	if d.passed(d.s.PendingRebootSince, d.f.Spec.PowerOffTimeout()) {
		d.fail(v1alpha1.ReasonPowerOffTimedOut, "The host could not be proven off within "+d.f.Spec.PowerOffTimeout().String())
		return
	}
	h := d.f.Host
	if d.doubted() {
		return
	}
	switch {
	case h.PoweredOn && d.s.SeenOnAt == nil:
		d.s.SeenOnAt = d.time()
	case !h.Key:
		d.act(SetKey)
	case d.s.KeySince == nil:
		d.s.KeySince = d.time()
	case d.f.off(d.now):
		d.s.PoweredOffAt = d.time()
		d.hostCondition(v1alpha1.ReasonHostAvailable, "")
		d.enter(v1alpha1.Fenced, "The host is off")
	case !h.PoweredOn:
		d.until(d.s.KeySince.Add(settle))
	}
}

// doubted begins the proof anew if there is a reason to doubt what the host says, or if our key was
// lost: the host may have come on since. It tells whether it did.
func (d *step) doubted() bool {
	h := d.f.Host
	lost := !h.Key && d.s.KeySince != nil
	if lost {
		d.s.KeysLost++
	}
	if h.Obstacle != "" {
		d.hostCondition(h.Obstacle, h.Message)
		if !h.Key && d.s.KeySince == nil {
			// Its operator needs to be asked all the same, or it will never overcome it.
			d.act(SetKey)
		}
	}
	if !lost && h.Obstacle == "" {
		return false
	}
	d.s.KeySince, d.s.SeenOnAt = nil, nil
	return true
}

// backToPowerOff begins the proof anew in the same attempt, since the host is not proven off any more.
func (d *step) backToPowerOff() {
	if d.f.Host.Key {
		d.s.KeySince = nil
	}
	d.s.SeenOnAt, d.s.PoweredOffAt = nil, nil
	d.enter(v1alpha1.PoweringOff, "The host is not proven off any more")
}
