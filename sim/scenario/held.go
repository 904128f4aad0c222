package scenario

import (
	"context"
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// held: a plan leaves a machine to a person. The remediation is Held, and says so, until the person decides to try a
// step.
func held(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	judged, err := s.sickens(ctx, machine)
	if err != nil {
		return Outcome{}, err
	}
	if _, _, err := s.record(ctx, machine, "step "+watchName, trying(watchName)); err != nil {
		return Outcome{}, err
	}
	waiting, _, err := s.record(ctx, machine, "the end of what Sickbay does", journal.InPhase(v1alpha1.RemediationHeld, v1alpha1.ReasonHoldStep))
	if err != nil {
		return Outcome{}, err
	}
	if err := s.event(ctx, machine, "RemediationHeld"); err != nil {
		return Outcome{}, err
	}
	if err := s.quiet(ctx, quietTime, machine); err != nil {
		return Outcome{}, err
	}
	retry := v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerRetry, Step: replaceName, Reason: "the disk is broken"}
	if err := s.decide(ctx, waiting, retry); err != nil {
		return Outcome{}, err
	}
	marked, ready, err := s.markedAndReplaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "watched, left to a person, and replaced when the person said so",
	}
	record, err := s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	if err != nil {
		return outcome, err
	}
	if got := attempts(record); got != "watch: TimedOut, replace: Succeeded" {
		return outcome, fmt.Errorf("MachineRemediation %s has tried something else: %s", record.Name, got)
	}
	return outcome, nil
}
