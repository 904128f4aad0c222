package scenario

import (
	"context"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// approval: a plan needs a person's approval before a machine is replaced. Nothing happens until the person
// approves.
func approval(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	judged := s.sickens(ctx, machine, stopKubelet(s, machine))
	waiting := s.record(ctx, machine, "the wait for approval", journal.InPhase(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired))
	s.event(ctx, machine, "RemediationApprovalRequired")
	s.quiet(ctx, quietTime, machine)
	s.decide(ctx, waiting, v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerApprove, Reason: "its data is elsewhere"})
	marked, ready := s.markedAndReplaced(ctx, machine, uids(machines))
	s.measure(nodeTimeout, judged, marked, ready, "not touched until a person had approved")
	record := s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	if by := lastAttempt(record).Decision; by == nil || by.By != person || by.Answer != v1alpha1.AnswerApprove {
		failf("MachineRemediation %s does not say who approved: %+v", record.Name, by)
	}
}
