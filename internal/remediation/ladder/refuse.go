package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// cancels reports whether a person cancels what is at work or waited for.
func (t *turn) cancels() bool {
	d := t.decision()
	return d != nil && d.Answer == v1alpha1.AnswerCancel
}

// refusedByPerson carries out Cancel and Deny. What follows from that is for the rules after it.
func (t *turn) refusedByPerson() bool {
	d := t.decision()
	switch {
	case d == nil:
		return false
	case d.Answer == v1alpha1.AnswerCancel:
		t.refuse(d, v1alpha1.ResultCancelled)
	case d.Answer == v1alpha1.AnswerDeny && t.deniable():
		t.refuse(d, v1alpha1.ResultDenied)
	default:
		return false
	}
	if t.stands() {
		return t.takesBack(by(d))
	}
	return false
}

// deniable reports whether there is an attempt that has done nothing yet, on a machine that still needs one.
func (t *turn) deniable() bool {
	attempt := atWork(&t.s)
	if attempt == nil {
		return !t.isHeld() && t.s.RecoveryTime == nil && proving(&t.s) == nil
	}
	return attempt.ObjectRef == nil
}

// refuse ends the attempt that a person does not want, or records that it does not take place. No step is left then.
func (t *turn) refuse(d *v1alpha1.RemediationDecision, result v1alpha1.AttemptResult) {
	attempt := atWork(&t.s)
	if attempt == nil {
		attempt = proving(&t.s)
	}
	if attempt == nil {
		t.remember(v1alpha1.RemediationAttempt{Number: max(1, t.s.Attempt), Step: t.stepInQuestion()})
		attempt = latest(&t.s)
	}
	attempt.Decision = d
	t.answersAnnotation()
	t.end(attempt, result, by(d))
	t.s.Step = ""
}

// stepInQuestion is the step that is waited for, or if none is, the one that was tried last.
func (t *turn) stepInQuestion() string {
	if step, ok := t.nextStep(); ok {
		return step.Name
	}
	return t.lastTried()
}

// by says who has decided, and why.
func by(d *v1alpha1.RemediationDecision) string {
	who := d.By
	if who == "" {
		who = "a person"
	}
	text := string(d.Answer) + " by " + who
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}
