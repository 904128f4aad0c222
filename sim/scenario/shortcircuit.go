package scenario

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// shortCircuit: with two of three machines sick, the fault is probably not theirs. Sickbay touches nothing until
// one of them has recovered and the other is within the limit.
func shortCircuit(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	first, second := stopKubelet(s, &machines[0]), stopKubelet(s, &machines[1])
	if err := s.breaks(ctx, first); err != nil {
		return Outcome{}, err
	}
	if err := s.breaks(ctx, second); err != nil {
		return Outcome{}, err
	}
	if _, err := s.judged(ctx, &machines[0], metav1.ConditionFalse, "ReadyUnhealthy", true); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, &machines[1], metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	at, condition, err := s.healthCheck(ctx, clusterv1.MachineHealthCheckRemediationAllowedCondition, metav1.ConditionFalse, clusterv1.MachineHealthCheckTooManyUnhealthyReason)
	if err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, at, "MachineHealthCheck %s: RemediationAllowed=False%s", s.Name, quoted(condition.Message))
	if err := s.quiet(ctx, quietTime, &machines[0], &machines[1], &machines[2]); err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, first, "one of the two kubelets is back"); err != nil {
		return Outcome{}, err
	}
	s.began = time.Now()
	marked, ready, err := s.markedAndReplaced(ctx, &machines[1], uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched while two were sick; then times from the recovery of one",
	}
	return outcome, s.leftAlone(&machines[0], &machines[2])
}
