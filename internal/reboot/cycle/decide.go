package cycle

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Decide looks at one RebootRemediation.
func Decide(f Facts, now time.Time) Decision {
	d := &step{f: f, s: *f.Status.DeepCopy(), now: now.Truncate(time.Second)}
	d.adopt()
	switch ended := f.Status.Phase.Ended(); {
	case !f.Finalizer && (ended || f.Deleting):
		d.late()
	case !f.Finalizer:
		d.act(AddFinalizer)
	case f.Blind != "":
		d.blind()
	case ended:
		d.clean()
	default:
		d.goOn()
	}
	return d.decision()
}

// goOn takes a cycle a step further.
func (d *step) goOn() {
	d.noteSteps()
	if d.broken() {
		return
	}
	d.phase()
	if d.s.Phase == d.f.Status.Phase && d.do == Nothing {
		d.dropAsked()
	}
}

// phase goes on from where the record stands.
func (d *step) phase() {
	switch d.s.Phase {
	case v1alpha1.PoweringOff:
		d.powerOff()
	case v1alpha1.Fenced:
		d.fenced()
	case v1alpha1.Isolating:
		d.isolate()
	case v1alpha1.Holding:
		d.hold()
	case v1alpha1.PoweringOn:
		d.powerOn()
	case v1alpha1.WaitingForNode:
		d.waitForNode()
	case v1alpha1.Restoring:
		d.restore()
	case v1alpha1.WaitingForMachine:
		d.waitForMachine()
	case v1alpha1.CoolingDown:
		d.coolDown()
	default:
		d.admit()
	}
}

// noteSteps stores that a person asks for single steps. It is forgotten when a person asks for a full cycle.
func (d *step) noteSteps() {
	switch m := d.f.Machine; {
	case !m.ByAnnotation:
	case m.Plain && !m.OfHealthCheck:
		d.s.SingleSteps = false
	case len(m.Keys) > 0:
		d.s.SingleSteps = true
	}
}

// broken ends a cycle whose ground is gone, or that nobody needs any more, and tells whether it did.
func (d *step) broken() bool {
	s, h := d.s, d.f.Host
	switch {
	case d.f.Machine.Gone || (s.MachineUID != "" && s.MachineUID != d.f.Machine.UID):
		d.end(v1alpha1.Aborted, v1alpha1.ReasonMachineGone, "The machine is gone, or on its way out")
	case s.Host == nil:
		return d.unwanted()
	case h.Missing != "" || h.UID != s.Host.UID:
		d.hostCondition(v1alpha1.ReasonHostNotFound, "The host "+s.Host.Name+" is gone")
		d.end(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, "The host "+s.Host.Name+" is gone")
	case !h.Ours:
		d.hostCondition(v1alpha1.ReasonHostNotOurs, "The host "+s.Host.Name+" is used by somebody else")
		d.end(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable, "The host "+s.Host.Name+" is used by somebody else")
	case d.escapes():
	default:
		return d.unwanted()
	}
	return true
}

// escapes ends a cycle whose host cannot be held off any more, and tells whether it did.
func (d *step) escapes() bool {
	reason, message := d.unholdable()
	if reason == "" || !d.holdsOff() {
		return false
	}
	d.hostCondition(reason, message)
	d.giveUp(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable, message)
	return true
}

// unwanted ends a cycle that nobody needs any more.
func (d *step) unwanted() bool {
	switch {
	case d.s.Host != nil && !d.holdsOff() && (d.s.Phase != v1alpha1.CoolingDown || d.outOfService()):
		// The host comes on, or has; what is left to be done follows.
		return false
	case d.f.withdrawn():
		d.giveUp(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn, "The request was taken back")
	case d.f.Machine.Healthy && d.s.Phase != v1alpha1.Holding:
		d.giveUp(v1alpha1.Aborted, v1alpha1.ReasonRecovered, "The machine has recovered by itself")
	default:
		return false
	}
	return true
}

// holdsOff tells that the host is held off in this phase.
func (d *step) holdsOff() bool {
	switch d.s.Phase {
	case v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding:
		return true
	default:
		return false
	}
}

// giveUp ends a cycle early. But if the Node may be out of service, the host comes on, and the Node gets back what it
// had: for that it is waited as long as after a cycle.
func (d *step) giveUp(phase v1alpha1.Phase, reason, message string) {
	if d.outOfService() && d.s.Host != nil {
		d.release()
		return
	}
	d.end(phase, reason, message)
}

// outOfService tells that the Node may have been deleted or tainted, and is not back.
func (d *step) outOfService() bool { return OwesNode(&d.s) }

// release lets the host come on. That is stored before our key is removed, so the key is never set again in this
// attempt.
func (d *step) release() {
	if d.holdsOff() {
		d.s.AskedSteps = d.keys()
		if d.f.Blind != "" {
			// What is asked for now is not known: it may be what was asked for all along.
			d.s.AskedSteps = slices.Clone(Steps)
		}
	}
	d.s.HoldingSince, d.s.PowerOnReleasedAt = nil, nil
	d.enter(v1alpha1.PoweringOn, waitsForPower)
}

// condition sets a condition, dated now if it changes.
func (d *step) condition(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&d.s.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(d.now),
	})
}
