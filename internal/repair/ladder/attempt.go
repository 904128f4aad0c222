package ladder

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// maxAttempts is how many attempts a record remembers.
const maxAttempts = 64

// Last returns the latest attempt of a record; nil if there is none.
func Last(s *v1alpha1.MachineRemediationStatus) *v1alpha1.RemediationAttempt {
	if n := len(s.Attempts); n > 0 {
		return &s.Attempts[n-1]
	}
	return nil
}

// Numbered returns the attempt of a record with that number; nil if there is none.
func Numbered(r *v1alpha1.MachineRemediation, number int32) *v1alpha1.RemediationAttempt {
	i := slices.IndexFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &r.Status.Attempts[i]
}

func atWork(s *v1alpha1.MachineRemediationStatus) *v1alpha1.RemediationAttempt {
	if last := Last(s); last != nil && last.EndTime == nil {
		return last
	}
	return nil
}

// proving returns the attempt that is over but has no result yet, because the machine has been healthy since; or nil.
func proving(s *v1alpha1.MachineRemediationStatus) *v1alpha1.RemediationAttempt {
	if last := Last(s); last != nil && last.EndTime != nil && last.Result == "" {
		return last
	}
	return nil
}

// endedNotBegun reports whether an attempt is over and nobody had begun it.
func endedNotBegun(attempt v1alpha1.RemediationAttempt) bool {
	return attempt.Result == v1alpha1.ResultNotBegun
}

// begin opens an attempt of a step. If the step asks somebody, it has not begun with that.
func (d *draft) begin(step v1alpha1.RemediationStep) *v1alpha1.RemediationAttempt {
	d.settle(step)
	if d.s.StartTime == nil {
		d.s.StartTime = d.time()
	}
	d.s.NextTransitionTime = nil
	d.remember(v1alpha1.RemediationAttempt{
		Number: d.s.Attempt, Step: step.Name, OperationID: OperationID(d.f.Record, d.s.Attempt),
		StartTime: d.time(), Decision: d.decisionFor(step),
	})
	if step.Action == v1alpha1.ActionReplace {
		d.answersAnnotation()
	}
	if !Acts(step.Action) {
		Last(&d.s).BeganAt = d.time()
		d.s.NextTransitionTime = d.after(step.Timeout())
	}
	return Last(&d.s)
}

// remember adds an attempt. If there are too many, it first drops those that nobody began, and then the oldest.
func (d *draft) remember(attempt v1alpha1.RemediationAttempt) {
	d.s.Attempts = append(d.s.Attempts, attempt)
	for len(d.s.Attempts) > maxAttempts {
		i := max(0, slices.IndexFunc(d.s.Attempts, endedNotBegun))
		d.s.Attempts = slices.Delete(d.s.Attempts, i, i+1)
	}
}

// end closes an attempt with a result, and says which step follows. What the attempt asked for is withdrawn next.
func (d *draft) end(attempt *v1alpha1.RemediationAttempt, result v1alpha1.AttemptResult, message string) {
	if attempt.EndTime == nil {
		attempt.EndTime = d.time()
	}
	attempt.Result, attempt.Message = result, message
	d.noteHostOff(attempt)
	d.s.NextTransitionTime = nil
	if !unseen(&d.s) {
		d.forgetStop()
	}
	d.s.Attempt = attempt.Number + 1
	step := d.stepOf(attempt)
	d.s.Step = step.Name
	usedUp := result == v1alpha1.ResultImpossible || tried(&d.s, step.Name) >= step.MaxAttempts()
	if usedUp && !NeverGivenUp(d.f.Record, step) {
		d.s.Step = StepAfter(d.f.Record.Spec.Steps, step.Name)
	}
}

// noteHostOff stores that the host of a power cycle was off.
func (d *draft) noteHostOff(attempt *v1alpha1.RemediationAttempt) {
	if r := d.f.Request; r != nil && r.OperationID == attempt.OperationID && !r.HostOffAt.IsZero() {
		attempt.HostOffAt = stored(r.HostOffAt)
	}
}

// fails ends an attempt that did not help.
func (d *draft) fails(attempt *v1alpha1.RemediationAttempt, message string) bool {
	d.end(attempt, v1alpha1.ResultFailed, message)
	return d.afterAttempt()
}

// impossible ends an attempt that can never begin. The next step follows.
func (d *draft) impossible(attempt *v1alpha1.RemediationAttempt, message string) bool {
	d.end(attempt, v1alpha1.ResultImpossible, message)
	return d.afterAttempt()
}

// givesUp takes an attempt back. The plan goes on if it had begun often enough, and otherwise asks again.
func (d *draft) givesUp(attempt *v1alpha1.RemediationAttempt, why string) bool {
	d.takeBack(attempt, why)
	return d.afterAttempt()
}

// afterAttempt stores that an attempt is over. What it asked for is withdrawn before anything else begins.
func (d *draft) afterAttempt() bool {
	last := Last(&d.s)
	d.rest(last)
	switch {
	case d.stands():
		return d.withdrawing("Withdrawing what was asked for: " + last.Message)
	case d.needsPerson():
		return d.leaveToPerson()
	case d.s.NextTransitionTime != nil:
		d.release()
		if step, ok := d.nextStep(); ok && approved(d.asDecided(), step) {
			d.getInLine(step)
		}
		return d.say(v1alpha1.RemediationPending, restReason(last), last.Message+"; the step begins again later")
	}
	if d.s.Step == last.Step {
		return d.goOn(last.Message + "; trying step " + last.Step + " again")
	}
	return d.goOn(last.Message + "; going on with step " + d.s.Step)
}
