package scenario

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
)

// relapse: a reboot helps, and a while later the same host hangs again. Sickbay remembers the reboot, so this time the
// machine is replaced.
func relapse(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	hang := fault.HangHost{Host: s.hostOf(machine)}
	if err := s.breaks(ctx, hang); err != nil {
		return Outcome{}, err
	}
	if err := s.helped(ctx, machine); err != nil {
		return Outcome{}, err
	}
	if err := s.breaks(ctx, hang); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.remembers(ctx, machine); err != nil {
		return Outcome{}, err
	}
	marked, ready, err := s.markedAndReplaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "rebooted the first time, replaced the second; times from the second",
	}
	record, err := s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	if err != nil {
		return outcome, err
	}
	if got := attempts(record); got != "replace: Succeeded" {
		return outcome, fmt.Errorf("MachineRemediation %s has tried something else: %s", record.Name, got)
	}
	return outcome, nil
}

// helped follows a machine from its verdict to its recovery by a reboot.
func (s *Stage) helped(ctx context.Context, machine *clusterv1.Machine) error {
	if _, err := s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true); err != nil {
		return err
	}
	if _, err := s.rebooted(ctx, machine); err != nil {
		return err
	}
	if _, err := s.judged(ctx, machine, metav1.ConditionTrue, "Succeeded", true); err != nil {
		return err
	}
	record, err := s.ended(ctx, machine, v1alpha1.ReasonRecovered)
	if err == nil && attempts(record) != "reboot: Succeeded" {
		err = fmt.Errorf("MachineRemediation %s has tried something else: %s", record.Name, attempts(record))
	}
	return err
}

// remembers checks that the second record of a machine begins after the step that the first one tried, and says why.
func (s *Stage) remembers(ctx context.Context, machine *clusterv1.Machine) error {
	entry, err := s.Journal.Record(ctx, machine.UID, "step "+replaceName+" of machine "+machine.Name, trying(replaceName))
	if err != nil {
		return err
	}
	again := entry.Object.(*v1alpha1.MachineRemediation)
	if n := len(s.Journal.Records(machine.UID)); n != 2 {
		return fmt.Errorf("machine %s has %d records instead of two", machine.Name, n)
	}
	start := again.Spec.StartAt
	if start == nil || start.Step != replaceName || start.Reason == "" {
		return fmt.Errorf("MachineRemediation %s does not say that it begins at step %s, and why: %+v", again.Name, replaceName, start)
	}
	s.say(Records, entry.At, "MachineRemediation %s begins at step %s%s", again.Name, start.Step, quoted(start.Reason))
	return nil
}
