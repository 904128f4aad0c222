package cycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// powerOn releases the host and waits until it is on.
func (d *draft) powerOn() {
	h := d.f.Host
	switch {
	case d.s.PowerOnReleasedAt == nil && d.asksForTheRest():
		d.choose(DropFull)
	case d.s.PowerOnReleasedAt == nil:
		d.s.PowerOnReleasedAt = d.time()
	case h.Key || h.Probe:
		d.choose(RemoveKey)
	case d.awaitOthers():
	case h.PoweredOn:
		// The host was proven off, so this is new. An error does not matter: it may be from an earlier command and stay forever.
		d.s.LastPoweredOn = d.time()
		d.enter(v1alpha1.WaitingForNode, "The host is on; waiting for its Node")
	case d.overdue():
		d.fail(v1alpha1.ReasonPowerOnTimedOut, "The host did not come on within "+d.f.Spec.PowerOnTimeout().String())
	}
}

// waitsForPower is the message while the host is to come on.
const waitsForPower = "Waiting until the host is on"

// awaitOthers suspends the cycle while somebody else keeps the host off, or the host is in a temporary state, and reports whether it did. That
// time does not count: the wait for the host begins again afterwards. It has no deadline, because a person or a program wants it so, unless the
// cycle is withdrawn.
func (d *draft) awaitOthers() bool {
	reason, message := d.keptOffByOthers()
	if h := d.f.Host; reason == "" && !h.PoweredOn && temporary(h.Obstacle) {
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

// keptOffByOthers says who else keeps the host off; the reason is empty if nobody does.
func (d *draft) keptOffByOthers() (reason, message string) {
	if d.f.Host.PoweredOn {
		return "", ""
	}
	return d.f.Host.wantedOff()
}

// wantedOff says who else wants a host off; the reason is empty if nobody does.
func (h HostFacts) wantedOff() (reason, message string) {
	switch {
	case h.OtherKeys:
		return v1alpha1.ReasonHeldByOthers, "Somebody else keeps the host " + h.Name + " off with an annotation reboot.metal3.io/..."
	case !h.Online:
		return v1alpha1.ReasonSuspendedByUser, "Somebody wants the host " + h.Name + " off (spec.online)"
	}
	return "", ""
}

// hold keeps the host off until somebody asks for more.
func (d *draft) hold() {
	d.checkProof()
	switch {
	case d.s.IsolatedAt == nil && d.f.wants(v1alpha1.StepDelete):
		// If the host is no longer proven off, the proof gets its full time.
		d.s.PendingRebootSince = d.time()
		d.enter(v1alpha1.Fenced, "The host is off")
	case d.f.wants(v1alpha1.StepPowerOn):
		d.releaseHeld()
	case !d.f.Host.Key:
		d.keepOff()
	case d.s.KeySince == nil && !d.unreliable():
		d.keySeen()
	}
}

// releaseHeld lets a host come on that was held. First, the annotations for what is done go: afterwards, they would ask for another cycle.
func (d *draft) releaseHeld() {
	if d.dropAsked() {
		return
	}
	if d.s.IsolatedAt == nil {
		d.condition(v1alpha1.ConditionNodeIsolated, metav1.ConditionFalse, v1alpha1.ReasonNotAsked, "Not requested")
	}
	d.release()
}

// enterHolding keeps the host off until another step is asked for.
func (d *draft) enterHolding() {
	if d.s.HoldingSince == nil {
		d.s.HoldingSince = d.time()
	}
	d.enter(v1alpha1.Holding, "The host is off, and stays off until somebody annotates its Machine with reboot.metal3.io/PowerOn")
}
