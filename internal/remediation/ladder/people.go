package ladder

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// decision returns what a person has decided about the attempt at work or waited for, or nil. One about another attempt is
// stale, and not carried out.
func decision(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationDecision {
	if d := r.Spec.Decision; d != nil && d.Attempt == max(1, r.Status.Attempt) {
		return d
	}
	return nil
}

// approved reports whether an attempt of a step may act: no approval is required, or a person has given it.
func approved(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	if step.Approval != v1alpha1.ApprovalRequired {
		return true
	}
	d := decision(r)
	return d != nil && (d.Answer == v1alpha1.AnswerApprove || d.Answer == v1alpha1.AnswerRetry)
}

// refusedByPerson carries out Deny and Cancel.
func (t *turn) refusedByPerson() bool {
	d, attempt := decision(t.f.Record), atWork(&t.s)
	switch {
	case d == nil:
		return false
	case d.Answer == v1alpha1.AnswerCancel && attempt != nil:
		attempt.Decision = d
		t.end(attempt, v1alpha1.ResultCancelled, by(d))
		t.s.Step = ""
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, by(d))
	case d.Answer == v1alpha1.AnswerCancel:
		return t.refuse(d, v1alpha1.ResultCancelled)
	case d.Answer == v1alpha1.AnswerDeny && attempt == nil && t.s.RecoveryTime == nil:
		return t.refuse(d, v1alpha1.ResultDenied)
	}
	return false
}

// refuse records that an attempt does not take place, and leaves the machine to a person.
func (t *turn) refuse(d *v1alpha1.RemediationDecision, result v1alpha1.AttemptResult) bool {
	step, _ := NextStep(t.f.Record)
	t.s.Attempt = max(1, t.s.Attempt)
	t.s.Attempts = append(t.s.Attempts, v1alpha1.RemediationAttempt{
		Number: t.s.Attempt, Step: step.Name, EndTime: t.time(), Result: result, Message: by(d), Decision: d,
	})
	t.s.Attempt++
	t.s.Step = ""
	return t.hold()
}

// retry begins a step anew, as a person has decided.
func (t *turn) retry() {
	d := decision(t.f.Record)
	if d == nil || d.Answer != v1alpha1.AnswerRetry {
		return
	}
	step := d.Step
	if step == "" {
		step = t.lastTried()
	}
	if t.s.Attempt == 0 || t.s.Step != step {
		t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step
		t.s.NextTransitionTime = nil
	}
}

// lastTried is the step of the latest attempt, or the first of the plan.
func (t *turn) lastTried() string {
	if last := latest(&t.s); last != nil && last.Step != "" {
		return last.Step
	}
	return t.f.Record.Spec.Steps[0].Name
}

// replaceAsked goes on with the first Replace of the plan if somebody has asked for remediation by annotation. It does so
// once.
func (t *turn) replaceAsked() {
	if !t.f.RemediateAsked || t.f.Record.Spec.Finding.Reason == "HasRemediateMachineAnnotation" {
		return
	}
	for i := range t.s.Attempts {
		if d := t.s.Attempts[i].Decision; d != nil && d.By == clusterv1.RemediateMachineAnnotation {
			return
		}
	}
	for _, step := range t.f.Record.Spec.Steps {
		if step.Action == v1alpha1.ActionReplace {
			t.s.Attempt, t.s.Step = max(1, t.s.Attempt), step.Name
			return
		}
	}
}

// decisionFor is what is stored with an attempt of a step: who has asked for it.
func (t *turn) decisionFor(step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	if d := decision(t.f.Record); d != nil {
		return d.DeepCopy()
	}
	if t.f.RemediateAsked && step.Action == v1alpha1.ActionReplace {
		return &v1alpha1.RemediationDecision{Attempt: t.s.Attempt, Answer: v1alpha1.AnswerRetry, By: clusterv1.RemediateMachineAnnotation}
	}
	return nil
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
