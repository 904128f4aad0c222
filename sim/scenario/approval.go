package scenario

import (
	"context"
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// approval: a plan needs a person's approval before a machine is replaced. Nothing happens until the person
// approves.
func approval(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	judged, err := s.sickens(ctx, machine)
	if err != nil {
		return Outcome{}, err
	}
	waiting, _, err := s.record(ctx, machine, "the wait for approval", journal.InPhase(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired))
	if err != nil {
		return Outcome{}, err
	}
	if err := s.event(ctx, machine, "RemediationApprovalRequired"); err != nil {
		return Outcome{}, err
	}
	if err := s.quiet(ctx, quietTime, machine); err != nil {
		return Outcome{}, err
	}
	if err := s.decide(ctx, waiting, v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerApprove, Reason: "its data is elsewhere"}); err != nil {
		return Outcome{}, err
	}
	marked, ready, err := s.markedAndReplaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched until a person had approved",
	}
	record, err := s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	if err != nil {
		return outcome, err
	}
	if by := lastAttempt(record).Decision; by == nil || by.By != person || by.Answer != v1alpha1.AnswerApprove {
		return outcome, fmt.Errorf("MachineRemediation %s does not say who approved: %+v", record.Name, by)
	}
	return outcome, nil
}
