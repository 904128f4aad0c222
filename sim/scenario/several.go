package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const dryRun = "sickbay.dev/dry-run"

// twoChecks: two MachineHealthChecks select a machine. The older one may not repair it, so the younger one does.
func twoChecks(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	younger := s.machineHealthCheck()
	younger.Name, younger.Annotations = s.Name+"-younger", nil
	mustDo(s.World.Client().Create(ctx, younger), "creating MachineHealthCheck %s", younger.Name)
	machine := &machines[0]
	s.breaks(ctx, stopKubelet(s, machine))
	s.remediated(ctx, machine, uids(machines), "ReadyUnhealthy", nodeTimeout, "repaired for the younger, as the older is in dry-run")
	s.healthCheck(ctx, "DryRun", metav1.ConditionTrue, "DryRun", "DryRun=True")
	for _, record := range s.Journal.Records(machine.UID) {
		if record.Spec.HealthCheckRef.Name != younger.Name {
			failf("machine %s is repaired for MachineHealthCheck %s", machine.Name, record.Spec.HealthCheckRef.Name)
		}
	}
}
