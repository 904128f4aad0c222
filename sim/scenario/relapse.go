package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
)

// relapse: a reboot helps, and a while later the same host hangs again. Sickbay remembers the reboot, so this time the
// machine is replaced.
func relapse(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	hang := fault.HangHost{Host: s.hostOf(machine)}
	s.sickens(ctx, machine, hang)
	s.rebooted(ctx, machine)
	s.judged(ctx, machine, metav1.ConditionTrue, "Succeeded")
	s.endedAfter(ctx, machine, v1alpha1.ReasonRecovered, "reboot: Succeeded")
	judged := s.sickens(ctx, machine, hang)
	s.remembers(ctx, machine)
	marked, ready := s.markedAndReplaced(ctx, machine, uids(machines))
	s.measure(nodeTimeout, judged, marked, ready, "rebooted the first time, replaced the second; times from the second")
	s.endedAfter(ctx, machine, v1alpha1.ReasonReplaced, "replace: Succeeded")
}

// remembers checks that the second record of a machine begins after the step that the first one tried, and says why.
func (s *Stage) remembers(ctx context.Context, machine *clusterv1.Machine) {
	at, again := s.replacing(ctx, machine)
	if n := len(s.Journal.Records(machine.UID)); n != 2 {
		failf("machine %s has %d records instead of two", machine.Name, n)
	}
	start := again.Spec.StartAt
	if start == nil || start.Step != replaceName || start.Reason == "" {
		failf("MachineRemediation %s does not say that it begins at step %s, and why: %+v", again.Name, replaceName, start)
	}
	s.say(Records, at, "MachineRemediation %s begins at step %s%s", again.Name, start.Step, quoted(start.Reason))
}
