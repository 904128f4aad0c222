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

// givenUp reports whether an attempt was aborted without any visible effect.
func givenUp(attempt v1alpha1.RemediationAttempt) bool {
	return attempt.EndTime != nil && attempt.ObjectRef == nil && attempt.Result == v1alpha1.ResultAborted
}

// begin opens an attempt of a step. Its clock starts now.
func (t *turn) begin(step v1alpha1.RemediationStep) *v1alpha1.RemediationAttempt {
	t.settle(step)
	if t.s.StartTime == nil {
		t.s.StartTime = t.time()
	}
	t.s.NextTransitionTime = t.after(step.Timeout())
	t.remember(v1alpha1.RemediationAttempt{
		Number: t.s.Attempt, Step: step.Name, OperationID: OperationID(t.f.Record, t.s.Attempt),
		StartTime: t.time(), Decision: t.decisionFor(step),
	})
	if step.Action == v1alpha1.ActionReplace {
		t.answersAnnotation()
	}
	return Last(&t.s)
}

// remember adds an attempt. If there are too many, it first drops those that did nothing, and then the oldest.
func (t *turn) remember(attempt v1alpha1.RemediationAttempt) {
	t.s.Attempts = append(t.s.Attempts, attempt)
	for len(t.s.Attempts) > maxAttempts {
		i := max(0, slices.IndexFunc(t.s.Attempts, givenUp))
		t.s.Attempts = slices.Delete(t.s.Attempts, i, i+1)
	}
}

// end closes an attempt with a result, and says which step follows. What the attempt asked for is withdrawn next.
func (t *turn) end(attempt *v1alpha1.RemediationAttempt, result v1alpha1.AttemptResult, message string) {
	if attempt.EndTime == nil {
		attempt.EndTime = t.time()
	}
	attempt.Result, attempt.Message = result, message
	t.s.NextTransitionTime = nil
	t.forgetStop()
	t.s.Attempt = attempt.Number + 1
	step := t.stepOf(attempt)
	t.s.Step = step.Name
	if !NeverGivenUp(t.f.Record, step) && tried(&t.s, step.Name) >= step.MaxAttempts() {
		t.s.Step = StepAfter(t.f.Record.Spec.Steps, step.Name)
	}
}

// fails ends an attempt that did not help.
func (t *turn) fails(attempt *v1alpha1.RemediationAttempt, message string) bool {
	t.end(attempt, v1alpha1.ResultFailed, message)
	return t.afterAttempt()
}

// afterAttempt stores that an attempt is over. What it asked for is withdrawn before anything else begins.
func (t *turn) afterAttempt() bool {
	last := Last(&t.s)
	t.rest(last)
	switch {
	case t.stands():
		return t.takesBack("Takes back what was asked for: " + last.Message)
	case t.needsPerson():
		return t.leaveToPerson()
	case t.s.NextTransitionTime != nil:
		t.release()
		if step, ok := t.nextStep(); ok && approved(t.asDecided(), step) {
			t.getInLine(step)
		}
		return t.say(v1alpha1.RemediationPending, restReason(last), last.Message+"; begins again later")
	}
	if t.s.Step == last.Step {
		return t.goOn(last.Message + "; tries step " + last.Step + " again")
	}
	return t.goOn(last.Message + "; goes on with step " + t.s.Step)
}
