package compat_test

import (
	"testing"

	"github.com/gardener/gardener/pkg/utils/kubernetes/health"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/rollouts"
)

// TestRollouts: over recorded histories, the rules that we call Gardener's are Gardener's, but for a status of an older generation,
// which Gardener calls a failure; and what Gardener says is in progress is not rolled out for us, but for the parts of a StatefulSet
// below its partition, and for what is updated by hand or paused at rest.
func TestRollouts(t *testing.T) {
	compareRollouts(t, checks.Deployment, health.CheckDeployment, checks.DeploymentRolledOut, health.IsDeploymentProgressing,
		func(d *appsv1.Deployment) bool { return d.Spec.Paused })
	compareRollouts(t, checks.StatefulSet, health.CheckStatefulSet, checks.StatefulSetRolledOut, health.IsStatefulSetProgressing,
		func(s *appsv1.StatefulSet) bool {
			rolling := s.Spec.UpdateStrategy.RollingUpdate
			return rolling == nil || *rolling.Partition > 0
		})
	compareRollouts(t, checks.DaemonSet, health.CheckDaemonSet, checks.DaemonSetRolledOut, health.IsDaemonSetProgressing,
		func(d *appsv1.DaemonSet) bool { return d.Spec.UpdateStrategy.RollingUpdate == nil })
}

func compareRollouts[O rollouts.Workload](
	t *testing.T, healthy checks.Rule[O], original func(O) error, rolledOut checks.Rule[O], progressing func(O) (bool, string), excused func(O) bool,
) {
	t.Helper()
	histories, err := rollouts.Histories[O]()
	if err != nil {
		t.Fatal(err)
	}
	for _, history := range histories {
		for _, m := range history {
			got, want := healthy(m.Object), original(m.Object)
			if got.Reason != checks.ReasonNotObserved && (got.Status == healthcheck.True) != (want == nil) {
				t.Errorf("%T, %s, %s: ours says %+v, and Gardener's %v", m.Object, m.Story, m.Act, got, want)
			}
			if rolls, why := progressing(m.Object); rolls && !excused(m.Object) && rolledOut(m.Object).Status == healthcheck.True {
				t.Errorf("%T, %s, %s: RolledOut says True, and Gardener's %s", m.Object, m.Story, m.Act, why)
			}
		}
	}
}
