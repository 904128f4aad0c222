package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// MaxTurns bounds how many decisions follow each other while a record is carried as far as it gets. It needs far fewer; without a
// bound, a rule that contradicts another would loop forever.
const MaxTurns = 30

// draft is one decision in the making.
type draft struct {
	f   Facts
	now time.Time
	// s is the new status.
	s        v1alpha1.MachineRemediationStatus
	decision Decision
	// inLine reports that the next attempt needs only a slot.
	inLine bool
}

// time returns now as the API stores it.
func (d *draft) time() *metav1.Time { return new(metav1.NewTime(d.now.Truncate(time.Second))) }

// after returns a future time as the API stores it, and asks for a look then.
func (d *draft) after(wait time.Duration) *metav1.Time {
	at := metav1.NewTime(d.time().Add(wait))
	d.recheck(at.Time)
	return &at
}

// recheck asks for another look at a time, unless there is an earlier one.
func (d *draft) recheck(at time.Time) {
	d.decision.RecheckAt = healthcheck.Earliest(d.decision.RecheckAt, at)
}

// act asks for one act of an attempt, and leaves the status as it is.
func (d *draft) act(what Act, attempt v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	d.s = *d.f.Record.Status.DeepCopy()
	d.decision.Act, d.decision.Attempt, d.decision.Step = what, attempt, step
	return true
}

// asDecided returns the record with the new status.
func (d *draft) asDecided() *v1alpha1.MachineRemediation {
	return &v1alpha1.MachineRemediation{ObjectMeta: d.f.Record.ObjectMeta, Spec: d.f.Record.Spec, Status: d.s}
}

// nextStep returns the step at work or the next one.
func (d *draft) nextStep() (v1alpha1.RemediationStep, bool) { return NextStep(d.asDecided()) }

// stepOf returns the step of an attempt. One that the plan does not have does nothing.
func (d *draft) stepOf(attempt *v1alpha1.RemediationAttempt) v1alpha1.RemediationStep {
	step, _ := StepNamed(d.f.Record, attempt.Step)
	return step
}

// settle stores which step is next.
func (d *draft) settle(step v1alpha1.RemediationStep) {
	d.s.Attempt, d.s.Step = max(1, d.s.Attempt), step.Name
}

// reason returns the record's reason as it was read.
func (d *draft) reason() string { return Progress(&d.f.Record.Status).Reason }
