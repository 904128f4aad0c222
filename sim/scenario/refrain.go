package scenario

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// cutOff: if a cluster cannot be reached, nothing is known about its machines, so nothing is done to them.
func cutOff(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	cut := fault.CutOff{Cluster: s.Key()}
	s.breaks(ctx, cut)
	judged := s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeUnavailable")
	s.say(Refrains, judged, "nothing is known, so nothing is done")
	s.mends(ctx, cut, "the cluster can be reached again")
	s.judged(ctx, &machines[0], metav1.ConditionTrue, "Succeeded")
	s.outcome = Outcome{Detected: s.since(judged), Remark: "not touched"}
	s.leftAlone(&machines[0])
}

// paused: Sickbay touches nothing in a cluster that a person has paused, and acts once it is resumed.
func paused(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	pause := fault.PauseCluster{Cluster: s.Key()}
	s.breaks(ctx, pause)
	s.healthCheck(ctx, clusterv1.PausedCondition, metav1.ConditionTrue, clusterv1.PausedReason, "Paused=True")
	// Only the pause stops Sickbay.
	s.breaks(ctx, s.longSilent(&machines[0]))
	s.quiet(ctx, quietTime, &machines[0])
	s.mends(ctx, pause, "the cluster is resumed")
	s.began = time.Now()
	s.remediated(ctx, &machines[0], uids(machines), "ReadyUnhealthy", 0, "not touched while paused; times from the resumption")
}

// recovers: a Node that comes back in time has no consequences.
func recovers(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	silent := stopKubelet(s, &machines[0])
	s.breaks(ctx, silent)
	judged := s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy")
	s.quiet(ctx, quietTime, &machines[0])
	s.mends(ctx, silent, "the kubelet is back, before the deadline")
	healthy := s.judged(ctx, &machines[0], metav1.ConditionTrue, "Succeeded")
	s.say(Refrains, healthy, "machine %s keeps running", machines[0].Name)
	s.outcome = Outcome{Detected: s.since(judged), Remark: "not touched"}
	s.leftAlone(&machines[0])
}

// quietTime is how long the story checks that a machine is not touched. If Sickbay acts, it does so within
// milliseconds.
const quietTime = 2 * time.Second

// quiet waits for a while, and checks that the machines were not touched.
func (s *Stage) quiet(ctx context.Context, while time.Duration, machines ...*clusterv1.Machine) {
	select {
	case <-time.After(while):
		s.untouched(machines...)
	case <-ctx.Done():
		must(context.Cause(ctx))
	}
}
