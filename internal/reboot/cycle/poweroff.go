package cycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

const (
	// settleTime is longer than a host's operator takes between two looks at its power.
	settleTime = 75 * time.Second
	// proofTime is what it takes to prove that a host is off that was off already: it has to settle, and its operator has to
	// answer.
	proofTime = settleTime + time.Minute
)

// provenOff reports whether the host is proven off now: our key has been on it without a break, its operator has answered the one-shot
// request that came with the key, and its answer is reliable.
//
// If the host was on when the key was set, it has gone off since, and nobody switches it on while our key is there. If it was off,
// it may have been on its way up, and the operator's answer may have been outdated. Then the operator has to answer again, after
// the time in which it would have noticed. KeySince is never before the first request, so the answer to that one does not count.
func (d *draft) provenOff() bool {
	h, s := d.f.Host, d.s
	if h.Missing != "" || !h.Fenceable || !h.Key || h.Probe || h.PoweredOn || h.Obstacle != "" || s.KeySince == nil {
		return false
	}
	settled := !h.ProbedAt.Before(s.KeySince.Add(settleTime)) && !h.OtherProbe
	return s.SeenOnAt != nil || settled
}

// powerOff keeps the host off until it is proven off.
func (d *draft) powerOff() {
	d.checkProof()
	h := d.f.Host
	switch {
	case d.provenHere():
		d.s.PoweredOffAt = d.time()
		d.enter(v1alpha1.Fenced, "The host is off")
	case d.s.BeganAt == nil:
		d.beginOnHost()
	case d.overdue():
		d.failPowerOff()
	case !h.Key:
		d.setKey()
	case d.unreliable():
	case d.s.KeySince == nil:
		d.keySeen()
	case h.PoweredOn && d.s.SeenOnAt == nil:
		d.s.SeenOnAt = d.time()
	case !h.PoweredOn && !h.Probe && !h.OtherProbe:
		d.probeAgain()
	}
}

// provenHere reports whether the host is proven off, and if it was off when our key was set, has had time to settle by the clock of this process.
// Stored times are of several processes, whose clocks may differ.
func (d *draft) provenHere() bool {
	return d.provenOff() && (d.s.SeenOnAt != nil || d.f.Host.KeySeenFor >= settleTime)
}

// keySeen stores that our key is on the host, not before the time of the request that came with it, which may be by another clock.
func (d *draft) keySeen() {
	d.s.KeySince = new(metav1.NewTime(healthcheck.Latest(d.now, d.f.Host.ProbedAt)))
}

// powerOffTimeout returns how long the proof may take. A host that was off already gets extra time for the proof.
func (d *draft) powerOffTimeout() time.Duration {
	if d.s.SeenOnAt == nil {
		return d.f.Spec.PowerOffTimeout() + proofTime
	}
	return d.f.Spec.PowerOffTimeout()
}

// failPowerOff ends a cycle whose host was not proven off. If a person keeps the host off, it stays off, and only the steps
// that follow have to wait. If the host is in a temporary state, or the Machine cannot be read, that says nothing about the host.
func (d *draft) failPowerOff() {
	switch {
	case d.s.HoldingSince != nil && (!d.f.wants(v1alpha1.StepPowerOn) || temporary(d.f.Host.Obstacle)):
		d.enter(v1alpha1.Holding, d.unproven()+"; it stays off anyway")
	case d.f.MachineUnreadable != "":
		d.abort(d.unproven() + ". " + d.f.MachineUnreadable)
	case temporary(d.f.Host.Obstacle):
		d.abort(d.unproven())
	default:
		d.fail(v1alpha1.ReasonPowerOffTimedOut, d.unproven())
	}
}

// unproven says why a host was not proven off. A host that says it is off, and has an error, may really be off: its operator does
// not clear an error until it switches the host again. But the operator says the same if it cannot reach the host, and then the
// host may be running. So Sickbay does not believe it, whatever the consequences.
func (d *draft) unproven() string {
	message := "The host could not be proven off within " + d.powerOffTimeout().String()
	switch {
	case d.unreliable():
		return message + "; it says that it is off, but cannot be believed in this state: " + d.f.Host.Message
	case d.f.Host.Obstacle != "":
		return message + ": " + d.f.Host.Message
	}
	return message
}

// beginOnHost stores that the cycle begins, just before our key is set on its host for the first time. Until that is stored, nothing was done to
// the host, and the cycle waits again if it may not begin any more. The time for the proof starts now.
func (d *draft) beginOnHost() {
	reason, message := d.unavailable()
	switch {
	case d.f.Host.Key:
		d.s.BeganAt = d.time()
	case d.f.Throttled != "":
		d.waitAgain(d.f.Throttled)
	case reason != "":
		d.waitAgain(message)
		d.hostCondition(reason, message)
	default:
		d.s.BeganAt, d.s.PendingRebootSince = d.time(), d.time()
		if d.f.Host.PoweredOn {
			d.s.SeenOnAt = d.time()
		}
	}
}

// keepOff sets our key, once it is stored that the cycle has begun.
func (d *draft) keepOff() {
	if d.s.BeganAt == nil {
		d.s.BeganAt = d.time()
		return
	}
	d.choose(SetKey)
}

// setKey sets our key. It first stores whether the host is on. The write of the key is refused if the host has changed since, so
// what was stored is still true then.
func (d *draft) setKey() {
	switch on := d.f.Host.PoweredOn; {
	case d.f.Throttled != "":
		// The cycle has begun, but has not reached the host, or no longer has.
		d.abort(d.f.Throttled)
	case on && d.s.SeenOnAt == nil:
		d.s.SeenOnAt = d.time()
	case !on && d.s.SeenOnAt != nil:
		d.s.SeenOnAt = nil
	default:
		d.keepOff()
	}
}

// probeAgain makes the operator look again at a host that was off before our key was set.
func (d *draft) probeAgain() {
	if rest := settleTime - d.f.Host.KeySeenFor; rest > 0 {
		d.recheckBy(d.now.Add(rest))
		return
	}
	d.keepOff()
}

// unreliable reports whether the host says that it is off and cannot be believed. A host that says it is on is always believed:
// nothing follows from that until its operator says otherwise.
func (d *draft) unreliable() bool { return d.f.Host.Obstacle != "" && !d.f.Host.PoweredOn }

// checkProof starts the proof again if its answer is unreliable, or if our key was lost: the host may have come on since.
func (d *draft) checkProof() {
	d.describeHost()
	lost := !d.f.Host.Key && d.s.KeySince != nil
	if lost {
		d.s.KeysLost++
	}
	if lost || d.unreliable() {
		d.s.KeySince, d.s.SeenOnAt = nil, nil
	}
}

// backToPowerOff starts the proof again, because the host is no longer proven off. If a person keeps it off, it stays off meanwhile.
func (d *draft) backToPowerOff() {
	if !d.f.Full() && d.s.HoldingSince == nil {
		d.s.HoldingSince = d.time()
	}
	if d.f.Host.Key {
		d.s.KeySince = nil
	}
	d.s.SeenOnAt, d.s.PoweredOffAt, d.s.IsolatingSince = nil, nil, nil
	d.enter(v1alpha1.PoweringOff, "The host is no longer proven off")
}

// describeHost sets the condition HostAvailable by the obstacle, if there is one.
func (d *draft) describeHost() {
	if d.f.Host.Obstacle != "" {
		d.hostCondition(d.f.Host.Obstacle, d.f.Host.Message)
		return
	}
	d.hostCondition(v1alpha1.ReasonHostAvailable, "")
}

// hostCondition sets the condition HostAvailable.
func (d *draft) hostCondition(reason, message string) {
	status := metav1.ConditionFalse
	if reason == v1alpha1.ReasonHostAvailable {
		status = metav1.ConditionTrue
	}
	d.condition(v1alpha1.ConditionHostAvailable, status, reason, message)
}
