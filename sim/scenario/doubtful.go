package scenario

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

const (
	dryRun     = "sickbay.dev/dry-run"
	signals    = "sickbay.dev/signals"
	gpuHealthy = "GpuHealthy"
)

func gpuUnhealthy(timeout time.Duration) clusterv1.MachineHealthCheckSpec {
	return checks(clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
		{Type: gpuHealthy, Status: corev1.ConditionFalse, TimeoutSeconds: new(int32(timeout.Seconds()))},
	}})
}

// deadDetector: a Node that a dead detector accuses is left alone. Then one that lives accuses all Nodes at once: nothing is done either, until a
// single Node is left, which a person lets Sickbay repair.
func deadDetector(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	accuse := func(i int, silent time.Time) fault.AccuseNode {
		return fault.AccuseNode{Cluster: s.Key(), Node: machines[i].Status.NodeRef.Name, Type: gpuHealthy, Silent: silent}
	}
	dead := accuse(0, time.Now().Add(-time.Hour))
	s.breaks(ctx, dead)
	detected := s.since(s.judged(ctx, &machines[0], metav1.ConditionUnknown, "DetectorSilent"))
	s.quiet(ctx, quietTime, &machines[0])
	s.mends(ctx, dead, "the detector is back, and the node is fine")
	s.judged(ctx, &machines[0], metav1.ConditionTrue, "Succeeded")
	s.leftAlone(&machines[0], &machines[1])

	s.breaks(ctx, accuse(0, time.Time{}))
	s.breaks(ctx, accuse(1, time.Time{}))
	s.judged(ctx, &machines[0], metav1.ConditionFalse, "GpuHealthyUnhealthy")
	s.judged(ctx, &machines[1], metav1.ConditionFalse, "GpuHealthyUnhealthy")
	s.healthCheck(ctx, "SignalsTrusted", metav1.ConditionFalse, "SignalSuspected", "SignalsTrusted=False")
	s.quiet(ctx, quietTime, &machines[0], &machines[1])
	s.leftAlone(&machines[0], &machines[1])
	s.mends(ctx, accuse(1, time.Time{}), "one of the two nodes is fine")
	at := time.Now()
	s.annotateCheck(ctx, func(mhc *clusterv1.MachineHealthCheck) { delete(mhc.Annotations, signals) })
	s.say(Decides, at, "%s removes %s from MachineHealthCheck %s: the fault is real", person, signals, s.Name)
	s.began = at
	marked, ready := s.markedAndReplaced(ctx, &machines[0], uids(machines))
	s.outcome = Outcome{
		Detected: detected, Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched for a dead detector, nor while all nodes were accused; then times from a person's decision",
	}
	s.leftAlone(&machines[1])
}

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
