package cycle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
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
	d.notLater()
	if d.exitEarly() {
		return
	}
	d.runPhase()
	if d.s.Phase == d.f.Status.Phase && d.action == Nothing {
		d.dropAsked()
	}
}

// outOfService reports whether the Node may have been deleted or tainted, and is not back.
func (d *draft) outOfService() bool { return OwesNode(&d.s) }

// release lets the host come on. This is stored before our key is removed, so the key is never set again in this cycle.
func (d *draft) release() {
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

// success sets the condition Succeeded, and sums it up.
func (d *draft) success(status metav1.ConditionStatus, reason, message string) {
	d.condition(v1alpha1.ConditionSucceeded, status, reason, message)
	conditions.SummarizeSuccess(&d.s.Conditions, *meta.FindStatusCondition(d.s.Conditions, v1alpha1.ConditionSucceeded))
}
