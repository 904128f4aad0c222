package scenario

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// cutOff: if a cluster cannot be reached, nothing is known about its machines, so nothing is done to them.
func cutOff(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	cut := fault.CutOff{Cluster: s.Key()}
	if err := s.breaks(ctx, cut); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeUnavailable", true)
	if err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, judged, "nothing is known, so nothing is done")
	if err := s.mends(ctx, cut, "the cluster can be reached again"); err != nil {
		return Outcome{}, err
	}
	if _, err := s.judged(ctx, &machines[0], metav1.ConditionTrue, "Succeeded", true); err != nil {
		return Outcome{}, err
	}
	return Outcome{Detected: s.since(judged), Remark: "not touched"}, s.leftAlone(&machines[0])
}

// paused: Sickbay touches nothing in a cluster that a person has paused, and acts once it is resumed.
func paused(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	pause := fault.PauseCluster{Cluster: s.Key()}
	if err := s.breaks(ctx, pause); err != nil {
		return Outcome{}, err
	}
	at, condition, err := s.healthCheck(ctx, clusterv1.PausedCondition, metav1.ConditionTrue, clusterv1.PausedReason)
	if err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, at, "MachineHealthCheck %s: Paused=True%s", s.Name, quoted(condition.Message))
	// The kubelet has been silent for longer than the timeout, so only the pause stops Sickbay.
	stopped := fault.StopKubelet{Cluster: s.Key(), Node: machines[0].Status.NodeRef.Name, Since: time.Now().Add(-2 * nodeTimeout)}
	if err := s.breaks(ctx, stopped); err != nil {
		return Outcome{}, err
	}
	if err := s.quiet(ctx, quietTime, &machines[0]); err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, pause, "the cluster is resumed"); err != nil {
		return Outcome{}, err
	}
	s.began = time.Now()
	outcome, err := s.remediated(ctx, &machines[0], uids(machines), "ReadyUnhealthy", 0)
	outcome.Remark = "not touched while paused; times from the resumption"
	return outcome, err
}

// recovers: a Node that comes back in time has no consequences.
func recovers(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	stopped := stopKubelet(s, &machines[0])
	if err := s.breaks(ctx, stopped); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", true)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.quiet(ctx, quietTime, &machines[0]); err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, stopped, "the kubelet is back, before the deadline"); err != nil {
		return Outcome{}, err
	}
	healthy, err := s.judged(ctx, &machines[0], metav1.ConditionTrue, "Succeeded", true)
	if err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, healthy, "machine %s keeps running", machines[0].Name)
	return Outcome{Detected: s.since(judged), Remark: "not touched"}, s.leftAlone(&machines[0])
}

// quietTime is how long the story checks that a machine is not touched. If Sickbay acts, it does so within
// milliseconds.
const quietTime = 2 * time.Second

// quiet waits for a while, and checks that the machines were not touched.
func (s *Stage) quiet(ctx context.Context, while time.Duration, machines ...*clusterv1.Machine) error {
	select {
	case <-time.After(while):
		return s.untouched(machines...)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
