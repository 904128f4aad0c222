package ladder

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// DecisionAbout returns a person's decision about the attempt at work or the next one, or nil. A decision about another attempt is stale,
// and ignored.
func DecisionAbout(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationDecision {
	if d := r.Spec.Decision; d != nil && d.Attempt == max(1, r.Status.Attempt) {
		return d.DeepCopy()
	}
	return nil
}

func (t *turn) personsDecision() *v1alpha1.RemediationDecision { return DecisionAbout(t.asDecided()) }

// AwaitsApproval reports whether the next attempt of a record needs a person's approval before it acts. Something else may be
// missing, too.
func AwaitsApproval(r *v1alpha1.MachineRemediation) bool {
	step, ok := NextStep(r)
	between := ok && atWork(&r.Status) == nil && proving(&r.Status) == nil && !Ended(r)
	return between && step.Action != v1alpha1.ActionHold && known(step.Action) && !refuses(DecisionAbout(r)) && !approved(r, step)
}

// InProof reports whether the latest attempt of a record is over but has not proven yet that it helped.
func InProof(r *v1alpha1.MachineRemediation) bool { return proving(&r.Status) != nil && !Ended(r) }

func allows(d *v1alpha1.RemediationDecision) bool {
	return d != nil && (d.Answer == v1alpha1.AnswerApprove || d.Answer == v1alpha1.AnswerRetry)
}

func refuses(d *v1alpha1.RemediationDecision) bool {
	return d != nil && (d.Answer == v1alpha1.AnswerDeny || d.Answer == v1alpha1.AnswerCancel)
}

// approved reports whether an attempt of a step may act: no approval is required, or a person has given it. An approval stays valid
// after attempts that could not be carried out.
func approved(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	return step.Approval != v1alpha1.ApprovalRequired || allows(DecisionAbout(r)) || inherited(&r.Status, step) != nil
}

// inherited returns the decision that allowed the latest attempt, if that did nothing; or nil.
func inherited(s *v1alpha1.MachineRemediationStatus, step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	if last := Last(s); last != nil && givenUp(*last) && last.Step == step.Name && allows(last.Decision) {
		return last.Decision
	}
	return nil
}

// decisionFor returns the decision to store with an attempt of a step: who asked for it.
func (t *turn) decisionFor(step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	d := t.personsDecision()
	switch {
	case d != nil && d.Answer == v1alpha1.AnswerRetry:
		return d
	case t.askedAnew() && step.Action == v1alpha1.ActionReplace:
		// The approval may be for the step before a jump.
		return t.annotation()
	case allows(d):
		return d
	}
	return inherited(&t.s, step).DeepCopy()
}

// cancels reports whether a person cancels the attempt at work or the next one.
func (t *turn) cancels() bool {
	d := t.personsDecision()
	return d != nil && d.Answer == v1alpha1.AnswerCancel
}

// refusedByPerson carries out Cancel and Deny. The rules after it decide what follows.
func (t *turn) refusedByPerson() bool {
	d := t.personsDecision()
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
		return t.takesBack(answerBy(d))
	}
	return false
}

// deniable reports whether there is an attempt that did nothing yet, on a machine that still needs one.
func (t *turn) deniable() bool {
	attempt := atWork(&t.s)
	if attempt == nil {
		return !t.needsPerson() && t.s.RecoveryTime == nil && proving(&t.s) == nil
	}
	return attempt.ObjectRef == nil
}

// refuse ends the attempt that a person refused, or records that it does not take place. Then no step is left.
func (t *turn) refuse(d *v1alpha1.RemediationDecision, result v1alpha1.AttemptResult) {
	attempt := atWork(&t.s)
	if attempt == nil {
		attempt = proving(&t.s)
	}
	if attempt == nil {
		t.remember(v1alpha1.RemediationAttempt{Number: max(1, t.s.Attempt), Step: t.stepInQuestion()})
		attempt = Last(&t.s)
	}
	attempt.Decision = d
	t.answersAnnotation()
	t.end(attempt, result, answerBy(d))
	t.s.Step = ""
}

// stepInQuestion returns the next step, or if there is none, the last one tried.
func (t *turn) stepInQuestion() string {
	if step, ok := t.nextStep(); ok {
		return step.Name
	}
	return t.lastTried()
}

// answerBy says who decided, and why.
func answerBy(d *v1alpha1.RemediationDecision) string {
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
