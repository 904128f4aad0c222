package ladder

import (
	"cmp"
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// DecisionAbout returns a person's decision about the attempt at work or the next one, or nil. A decision about another attempt is stale,
// and ignored.
func DecisionAbout(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationDecision {
	if decision := r.Spec.Decision; decision != nil && decision.Attempt == max(1, r.Status.Attempt) {
		return decision.DeepCopy()
	}
	return nil
}

func (d *draft) personsDecision() *v1alpha1.RemediationDecision { return DecisionAbout(d.asDecided()) }

// AwaitsApproval reports whether the next attempt of a record needs a person's approval before it acts. Something else may be
// missing, too.
func AwaitsApproval(r *v1alpha1.MachineRemediation) bool {
	step, ok := NextStep(r)
	between := ok && atWork(&r.Status) == nil && proving(&r.Status) == nil && !Ended(r)
	return between && step.Action != v1alpha1.ActionHold && known(step.Action) && !refuses(DecisionAbout(r)) && !approved(r, step)
}

// InProof reports whether the latest attempt of a record is over but has not proven yet that it helped.
func InProof(r *v1alpha1.MachineRemediation) bool { return proving(&r.Status) != nil && !Ended(r) }

func allows(decision *v1alpha1.RemediationDecision) bool {
	return decision != nil && (decision.Answer == v1alpha1.AnswerApprove || decision.Answer == v1alpha1.AnswerRetry)
}

func refuses(decision *v1alpha1.RemediationDecision) bool {
	return decision != nil && (decision.Answer == v1alpha1.AnswerDeny || decision.Answer == v1alpha1.AnswerCancel)
}

// approved reports whether an attempt of a step may act: no approval is required, or a person has given it. An approval stays valid
// after attempts that nobody began.
func approved(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	return !step.NeedsApproval() || allows(DecisionAbout(r)) || inherited(&r.Status, step) != nil
}

// inherited returns the decision that allowed the latest attempt, if nobody began that; or nil.
func inherited(s *v1alpha1.MachineRemediationStatus, step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	if last := Last(s); last != nil && endedNotBegun(*last) && last.Step == step.Name && allows(last.Decision) {
		return last.Decision
	}
	return nil
}

// decisionFor returns the decision to store with an attempt of a step: who asked for it.
func (d *draft) decisionFor(step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	answer := d.personsDecision()
	switch {
	case answer != nil && answer.Answer == v1alpha1.AnswerRetry:
		return answer
	case d.askedAnew() && step.Action == v1alpha1.ActionReplace:
		// The approval may be for the step before a jump.
		return d.annotation()
	case allows(answer):
		return answer
	}
	return inherited(&d.s, step).DeepCopy()
}

// dropDecision forgets an Approve or a Retry on which nobody began anything for a day, or that was given for another finding.
func (d *draft) dropDecision() {
	last := Last(&d.s)
	if last == nil || !endedNotBegun(*last) || !allows(last.Decision) {
		return
	}
	if due := last.StartTime.Add(longestAsking); d.now.Before(due) && !d.f.Machine.OtherFinding {
		d.recheck(due)
		return
	}
	last.Decision = nil
}

// cancels reports whether a person cancels the attempt at work or the next one.
func (d *draft) cancels() bool {
	answer := d.personsDecision()
	return answer != nil && answer.Answer == v1alpha1.AnswerCancel
}

// refusedByPerson carries out Cancel and Deny. The rules after it decide what follows.
func (d *draft) refusedByPerson() bool {
	answer := d.personsDecision()
	switch {
	case answer == nil, atWork(&d.s) == nil && d.stands():
		// What is left of an attempt that is over goes first.
		return false
	case answer.Answer == v1alpha1.AnswerCancel:
		d.refuse(answer, v1alpha1.ResultCancelled)
	case answer.Answer == v1alpha1.AnswerDeny && d.deniable():
		d.refuse(answer, v1alpha1.ResultDenied)
	default:
		return false
	}
	if d.stands() {
		return d.withdrawing(answerBy(answer))
	}
	return false
}

// deniable reports whether there is an attempt that did nothing yet, on a machine that still needs one.
func (d *draft) deniable() bool {
	attempt := atWork(&d.s)
	if attempt == nil {
		return !d.needsPerson() && d.s.RecoveryTime == nil && proving(&d.s) == nil
	}
	return attempt.ObjectRef == nil
}

// refuse ends the attempt that a person refused, or records that it does not take place. Then no step is left.
func (d *draft) refuse(answer *v1alpha1.RemediationDecision, result v1alpha1.AttemptResult) {
	attempt := atWork(&d.s)
	if attempt == nil {
		attempt = proving(&d.s)
	}
	if attempt == nil {
		d.remember(v1alpha1.RemediationAttempt{Number: max(1, d.s.Attempt), Step: d.stepInQuestion()})
		attempt = Last(&d.s)
	}
	attempt.Decision = answer
	d.answersAnnotation()
	d.end(attempt, result, answerBy(answer))
	d.s.Step = ""
}

// stepInQuestion returns the next step, or if there is none, the last one tried.
func (d *draft) stepInQuestion() string {
	if step, ok := d.nextStep(); ok {
		return step.Name
	}
	return d.lastTried()
}

// answerBy says who decided, and why.
func answerBy(decision *v1alpha1.RemediationDecision) string {
	who := decision.By
	if who == "" {
		who = "a person"
	}
	text := string(decision.Answer) + " by " + who
	if decision.Reason != "" {
		text += ": " + decision.Reason
	}
	return text
}

// SingleSteps reports whether a record is for single steps of a power cycle. Between them, a person keeps the host off.
func SingleSteps(r *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(r.Spec.Steps, func(step v1alpha1.RemediationStep) bool { return step.Until != "" })
}

// Before reports whether a record waits for another open one of its machine:
//
//  1. A record for single steps goes first, once nothing of the other stands.
//  2. A record of which something stands goes before one of which nothing does.
//  3. A person's record waits for a health check's that has a slot.
//  4. Else the older goes first.
func Before(other, own *v1alpha1.MachineRemediation) bool {
	switch {
	case SingleSteps(own) != SingleSteps(other):
		return SingleSteps(other) || MayStand(other)
	case MayStand(own) != MayStand(other):
		return MayStand(other)
	case own.Spec.OnTheirWord() != other.Spec.OnTheirWord():
		return own.Spec.OnTheirWord() && (MayStand(other) || HasSlot(other))
	}
	order := other.CreationTimestamp.Compare(own.CreationTimestamp.Time)
	return cmp.Or(order, cmp.Compare(other.UID, own.UID)) < 0
}
