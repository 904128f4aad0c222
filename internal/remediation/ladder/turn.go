package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// MaxTurns bounds how many decisions follow each other while a record is carried as far as it gets. It needs far fewer; without a
// bound, a rule that contradicts another would loop forever.
const MaxTurns = 30

// turn is one decision in the making.
type turn struct {
	f   Facts
	now time.Time
	// s is the new status.
	s v1alpha1.MachineRemediationStatus
	d Decision
	// inLine reports that the next attempt needs only a slot.
	inLine bool
}

// time returns now as the API stores it.
func (t *turn) time() *metav1.Time { return new(metav1.NewTime(t.now.Truncate(time.Second))) }

// after returns a future time as the API stores it, and asks for a look then.
func (t *turn) after(wait time.Duration) *metav1.Time {
	at := metav1.NewTime(t.time().Add(wait))
	t.recheck(at.Time)
	return &at
}

// recheck asks for another look at a time, unless there is an earlier one.
func (t *turn) recheck(at time.Time) {
	if t.d.RecheckAt.IsZero() || at.Before(t.d.RecheckAt) {
		t.d.RecheckAt = at
	}
}

// act asks for one act of an attempt, and leaves the status as it is.
func (t *turn) act(what Act, attempt v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	t.s = *t.f.Record.Status.DeepCopy()
	t.d.Act, t.d.Attempt, t.d.Step = what, attempt, step
	return true
}

// asDecided returns the record with the new status.
func (t *turn) asDecided() *v1alpha1.MachineRemediation {
	return &v1alpha1.MachineRemediation{ObjectMeta: t.f.Record.ObjectMeta, Spec: t.f.Record.Spec, Status: t.s}
}

// nextStep returns the step at work or the next one.
func (t *turn) nextStep() (v1alpha1.RemediationStep, bool) { return NextStep(t.asDecided()) }

// stepOf returns the step of an attempt. One that the plan does not have does nothing.
func (t *turn) stepOf(attempt *v1alpha1.RemediationAttempt) v1alpha1.RemediationStep {
	step, _ := StepNamed(t.f.Record, attempt.Step)
	return step
}

// settle stores which step is next.
func (t *turn) settle(step v1alpha1.RemediationStep) {
	t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step.Name
}

// reason returns the record's reason as it was read.
func (t *turn) reason() string { return Progress(&t.f.Record.Status).Reason }
