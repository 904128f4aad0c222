package monitor

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// decided checks that nobody has decided against the act, and that a person has approved it if the step requires that.
func (m *Monitor) decided(r *v1alpha1.MachineRemediation, what string) {
	step, d := stepOf(r), r.Spec.Decision
	if d != nil && d.Attempt != number(r) {
		d = nil
	}
	if step.Approval == v1alpha1.ApprovalRequired && !agreed(d) && !agreed(before(r, step)) {
		m.w.Fail(rules.Decision, "%s, and nobody has approved attempt %d of %s", what, number(r), r.Name)
	}
	if d != nil && (d.Answer == v1alpha1.AnswerCancel || (d.Answer == v1alpha1.AnswerDeny && ladder.AtWork(r) == nil)) {
		m.w.Fail(rules.Decision, "%s, although a person has answered %s", what, d.Answer)
	}
}

func agreed(d *v1alpha1.RemediationDecision) bool {
	return d != nil && (d.Answer == v1alpha1.AnswerApprove || d.Answer == v1alpha1.AnswerRetry)
}

// before returns the decision about the previous attempt, if that was of the same step and nobody began it.
func before(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	for _, attempt := range slices.Backward(r.Status.Attempts) {
		if attempt.EndTime == nil {
			continue
		}
		if attempt.Step == step.Name && attempt.Result == v1alpha1.ResultNotBegun {
			return attempt.Decision
		}
		return nil
	}
	return nil
}
