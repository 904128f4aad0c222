package scenario

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// shortCircuit: with two of three machines sick, the fault is probably not theirs. Sickbay touches nothing until
// one of them has recovered and the other is within the limit.
func shortCircuit(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	first, second := stopKubelet(s, &machines[0]), stopKubelet(s, &machines[1])
	s.breaks(ctx, first)
	s.breaks(ctx, second)
	s.judged(ctx, &machines[0], metav1.ConditionFalse, "ReadyUnhealthy")
	detected := s.since(s.judged(ctx, &machines[1], metav1.ConditionFalse, "ReadyUnhealthy"))
	s.healthCheck(ctx, clusterv1.MachineHealthCheckRemediationAllowedCondition, metav1.ConditionFalse, clusterv1.MachineHealthCheckTooManyUnhealthyReason,
		"RemediationAllowed=False")
	s.quiet(ctx, quietTime, &machines[0], &machines[1], &machines[2])
	s.mends(ctx, first, "one of the two kubelets is back")
	s.began = time.Now()
	marked, ready := s.markedAndReplaced(ctx, &machines[1], uids(machines))
	s.outcome = Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched while two were sick; then times from the recovery of one",
	}
	s.leftAlone(&machines[0], &machines[2])
}
