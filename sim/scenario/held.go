package scenario

import (
	"context"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// held: a plan leaves a machine to a person. The remediation is Held, and says so, until the person decides to try a
// step.
func held(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	judged := s.sickens(ctx, machine, stopKubelet(s, machine))
	s.record(ctx, machine, "step "+watchName, trying(watchName))
	waiting := s.record(ctx, machine, "the end of what Sickbay does", journal.InPhase(v1alpha1.RemediationHeld, v1alpha1.ReasonHoldStep))
	s.event(ctx, machine, "RemediationHeld")
	s.quiet(ctx, quietTime, machine)
	s.decide(ctx, waiting, v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerRetry, Step: replaceName, Reason: "the disk is broken"})
	marked, ready := s.markedAndReplaced(ctx, machine, uids(machines))
	s.measure(nodeTimeout, judged, marked, ready, "watched, left to a person, and replaced when the person said so")
	s.endedAfter(ctx, machine, v1alpha1.ReasonReplaced, "watch: TimedOut, replace: Succeeded")
}
