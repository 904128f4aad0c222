package cycle

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Decide returns what to do next about one RebootRemediation.
func Decide(f Facts, now time.Time) Decision {
	d := &draft{f: f, s: *f.Status.DeepCopy(), now: now.Truncate(time.Second)}
	switch ended := f.Status.Phase.Ended(); {
	case !f.Finalizer && (ended || f.Deleting):
		d.afterEnd()
	case !f.Finalizer:
		d.choose(AddFinalizer)
	case f.MachineUnreadable != "":
		d.goOnWithoutMachine()
	case ended:
		d.clean()
	default:
		d.goOn()
	}
	return d.decision()
}

// goOn takes a cycle one step further.
func (d *draft) goOn() {
	d.noteSteps()
	d.notLater()
	if d.exitEarly() {
		return
	}
	d.runPhase()
	if d.s.Phase == d.f.Status.Phase && d.action == Nothing && !rowOf(d.s.Phase).begins {
		// Before an attempt begins, annotations for steps are for that attempt: the attempt before must not remove them as done.
		d.dropAsked()
	}
}

// noteSteps stores that a person asks for single steps, until a person asks for a full cycle. It also forgets AskedInTime when the
// annotation goes: one that comes later is a new request.
func (d *draft) noteSteps() {
	d.s.AskedInTime = d.s.AskedInTime && (d.f.Machine.Asked || d.f.MachineUnreadable != "")
	switch m := d.f.Machine; {
	case !m.ByAnnotation:
	case m.AsksFull:
		d.s.SingleSteps = false
	case len(m.Steps) > 0:
		d.s.SingleSteps = true
	}
}

// outOfService reports whether the Node may have been deleted or tainted, and is not back.
func (d *draft) outOfService() bool { return OwesNode(&d.s) }

// release lets the host come on. This is stored before our key is removed, so the key is never set again in this attempt.
func (d *draft) release() {
	if d.keepsOff() {
		d.s.AskedInTime = d.s.AskedInTime || (d.f.Machine.Asked && d.s.PoweredOffAt != nil)
		d.s.AskedSteps = d.askedSteps()
		if d.f.MachineUnreadable != "" {
			// It is not known which steps are asked for now, so assume that all were asked for in time.
			d.s.AskedSteps = slices.Clone(steps)
		}
	}
	d.s.PowerOnReleasedAt = nil
	d.enter(v1alpha1.PoweringOn, waitsForPower)
}

// maxMessage is the maximum length of a condition's message, in bytes. The API server refuses a status with a longer one, and hosts may report
// errors of any length.
const maxMessage = 32768

// condition sets a condition. Its transition time is now if the status changes.
func (d *draft) condition(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&d.s.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: ownwrites.Shortened(message, maxMessage), LastTransitionTime: metav1.NewTime(d.now),
	})
}
