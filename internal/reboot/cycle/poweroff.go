package cycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// settle is longer than a host's operator takes from one look at its power to the next.
	settle = 75 * time.Second
	// proofTime is what it takes to prove a host off that was off already: it has to settle, and its operator to answer.
	proofTime = settle + time.Minute
)

// off tells that the host is proven off, as it is now. Our key has been on it without a break, its operator has answered
// the one-shot request that came with the key, and there is no doubt about what it says.
//
// If the host was on by then, it has gone off since, and nobody switches it on as long as our key is there. If it
// was off, it may have been on its way up, and what its operator said may have been true no more. Then the operator has
// to say so again, after the time in which it would have noticed.
func (d *step) off() bool {
	h, s := d.f.Host, d.s
	if h.Missing != "" || !h.Fenceable || !h.Key || h.Probe || h.PoweredOn || h.Obstacle != "" || s.KeySince == nil {
		return false
	}
	settled := !h.AskedAt.Before(s.KeySince.Add(settle)) && !h.OtherProbe
	return s.SeenOnAt != nil || settled
}

// powerOff holds the host off until it is proven to be.
func (d *step) powerOff() {
	d.doubt()
	h := d.f.Host
	switch {
	case d.off():
		d.s.PoweredOffAt = d.time()
		d.enter(v1alpha1.Fenced, "The host is off")
	case d.overdue():
		d.notOff()
	case !h.Key:
		d.setKey()
	case d.doubtful():
	case d.s.KeySince == nil:
		d.s.KeySince = d.time()
	case h.PoweredOn && d.s.SeenOnAt == nil:
		d.s.SeenOnAt = d.time()
	case !h.PoweredOn && !h.Probe && !h.OtherProbe:
		d.askAgain()
	}
}

// powerOffTimeout is how long a host may take to be proven off. One that was off already gets the time for the proof on top.
func (d *step) powerOffTimeout() time.Duration {
	if d.s.SeenOnAt == nil {
		return d.f.Spec.PowerOffTimeout() + proofTime
	}
	return d.f.Spec.PowerOffTimeout()
}

// notOff ends an attempt in which the host was not proven off. One that a person keeps off stays so: only what was to follow has to
// wait. A state that passes says nothing about the host, nor does it that the Machine cannot be read.
func (d *step) notOff() {
	switch {
	case d.f.withdrawn():
		d.fail(v1alpha1.ReasonPowerOffTimedOut, d.unproven())
	case d.s.HoldingSince != nil && (!d.f.asked(v1alpha1.StepPowerOn) || passing(d.f.Host.Obstacle)):
		d.enter(v1alpha1.Holding, d.unproven()+"; it is kept off all the same")
	case d.f.Blind != "":
		d.standDown(d.unproven() + ". " + d.f.Blind)
	case passing(d.f.Host.Obstacle):
		d.standDown(d.unproven())
	default:
		d.fail(v1alpha1.ReasonPowerOffTimedOut, d.unproven())
	}
}

// unproven says why a host was not proven off. One that says that it is off, and has an error, may be off indeed: its
// operator does not clear an error before it switches the host again. But it says the same if it cannot reach the host, and
// then the host may run. So it is not believed, whatever comes of it.
func (d *step) unproven() string {
	message := "The host could not be proven off within " + d.powerOffTimeout().String()
	switch {
	case d.doubtful():
		return message + "; it says that it is off, which is not believed in this state: " + d.f.Host.Message
	case d.f.Host.Obstacle != "":
		return message + ": " + d.f.Host.Message
	}
	return message
}

// setKey sets our key. Whether the host was on by then is stored before; since the key is bound to what was read, it is
// still so when the key is set.
func (d *step) setKey() {
	switch on := d.f.Host.PoweredOn; {
	case d.f.Paused != "":
		// The attempt has begun, and has not reached the host.
		d.standDown(d.f.Paused)
	case on && d.s.SeenOnAt == nil:
		d.s.SeenOnAt = d.time()
	case !on && d.s.SeenOnAt != nil:
		d.s.SeenOnAt = nil
	default:
		d.act(SetKey)
	}
}

// askAgain has the operator look once more at a host that was off before our key was set.
func (d *step) askAgain() {
	settled := d.s.KeySince.Add(settle)
	if d.now.Before(settled) {
		d.until(settled)
		return
	}
	d.act(SetKey)
}

// doubtful tells that the host says that it is off, and cannot be believed. That it was on is believed at
// any rate: nothing follows from it before its operator says otherwise.
func (d *step) doubtful() bool { return d.f.Host.Obstacle != "" && !d.f.Host.PoweredOn }

// doubt begins the proof anew if there is a reason to doubt what the host says, or if our key was lost: the host may have
// come on since.
func (d *step) doubt() {
	d.describeHost()
	lost := !d.f.Host.Key && d.s.KeySince != nil
	if lost {
		d.s.KeysLost++
	}
	if lost || d.doubtful() {
		d.s.KeySince, d.s.SeenOnAt = nil, nil
	}
}

// backToPowerOff begins the proof anew in the same attempt, since the host is not proven off any more.
func (d *step) backToPowerOff() {
	if d.f.Host.Key {
		d.s.KeySince = nil
	}
	d.s.SeenOnAt, d.s.PoweredOffAt, d.s.IsolatingSince = nil, nil, nil
	d.enter(v1alpha1.PoweringOff, "The host is not proven off any more")
}

// describeHost says what is the matter with the host, if anything is.
func (d *step) describeHost() {
	if d.f.Host.Obstacle != "" {
		d.hostCondition(d.f.Host.Obstacle, d.f.Host.Message)
		return
	}
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
}

// hostCondition says what is the matter with the host.
func (d *step) hostCondition(reason, message string) {
	status := metav1.ConditionFalse
	if reason == v1alpha1.ReasonHostAvailable {
		status = metav1.ConditionTrue
	}
	d.condition(v1alpha1.ConditionHostAvailable, status, reason, message)
}
