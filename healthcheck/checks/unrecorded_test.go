package checks_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

const (
	yes = healthcheck.True
	no  = healthcheck.False
	yet = healthcheck.Progressing
)

// now is a result as it reads at noon. One without a deadline gets one from the engine.
func now(r healthcheck.Result) healthcheck.Result {
	if r.Deadline.IsZero() {
		return r
	}
	return r.At(noon)
}

// set returns a StatefulSet of three replicas, a year old, in a rolling update: how many are ready, and updated.
func set(ready, updated int32, changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	s := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", Generation: 2, CreationTimestamp: metav1.NewTime(noon.AddDate(-1, 0, 0))},
		Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3)), UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
			Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(0))},
		}},
		Status: appsv1.StatefulSetStatus{
			ObservedGeneration: 2, Replicas: 3, ReadyReplicas: ready, AvailableReplicas: ready, UpdatedReplicas: updated,
			CurrentReplicas: 3 - updated, CurrentRevision: "db-1", UpdateRevision: "db-2",
		},
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

// TestUnrecordedStatefulSets is about what the recorded histories do not have, such as maxUnavailable, which a server ignores by
// default.
func TestUnrecordedStatefulSets(t *testing.T) {
	byHand := func(s *appsv1.StatefulSet) {
		s.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	}
	parallel := func(s *appsv1.StatefulSet) {
		s.Spec.PodManagementPolicy, s.Status.CurrentRevision = appsv1.ParallelPodManagement, s.Status.UpdateRevision
	}
	several := func(s *appsv1.StatefulSet) {
		s.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(2))
	}
	held := func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.RollingUpdate.Partition = new(int32(3)) }
	for name, test := range map[string]struct {
		set                  *appsv1.StatefulSet
		rolledOut, available healthcheck.Status
	}{
		"the partition lets nothing be updated": {set(3, 0, held), yes, yes},
		"somebody has deleted all Pods":         {set(0, 3, byHand), no, no},
		"two are replaced at once":              {set(1, 2, several), yet, yes},
		"all are down, and not two":             {set(0, 2, several), no, no},
		"all are started at once":               {set(0, 3, parallel), yet, no},
	} {
		if got := now(checks.StatefulSetRolledOut(test.set)); got.Status != test.rolledOut {
			t.Errorf("%s: RolledOut says %+v, want %s", name, got, test.rolledOut)
		}
		if got := now(checks.StatefulSetAvailable(test.set)); got.Status != test.available {
			t.Errorf("%s: Available says %+v, want %s", name, got, test.available)
		}
	}
}

// TestMaxUnavailable: a share of the Pods is counted as the controllers count it: that of a DaemonSet is rounded up, and that of
// a StatefulSet down, and is at least one.
func TestMaxUnavailable(t *testing.T) {
	share := func(s string) func(*appsv1.StatefulSet) {
		return func(set *appsv1.StatefulSet) {
			set.Spec.Replicas, set.Status.Replicas = new(int32(10)), 10
			set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromString(s))
		}
	}
	daemons := func(unavailable int32, share any) *appsv1.DaemonSet {
		d := daemonSet(0, unavailable, share)
		d.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
		return d
	}
	for name, test := range map[string]struct {
		available healthcheck.Result
		want      healthcheck.Status
	}{
		"StatefulSet, 19%: one":         {checks.StatefulSetAvailable(set(9, 5, share("19%"))), yes},
		"StatefulSet, 19%: not two":     {checks.StatefulSetAvailable(set(8, 5, share("19%"))), no},
		"StatefulSet, 1%: at least one": {checks.StatefulSetAvailable(set(9, 5, share("1%"))), yes},
		"DaemonSet, 11%: two":           {checks.DaemonSetAvailable(daemons(2, "11%")), yes},
		"DaemonSet, 11%: not three":     {checks.DaemonSetAvailable(daemons(3, "11%")), no},
	} {
		if got := now(test.available); got.Status != test.want {
			t.Errorf("%s: Available says %+v, want %s", name, got, test.want)
		}
	}
	if got := checks.DaemonSetRolledOut(daemons(3, "11%")); got.Status != no {
		t.Errorf("DaemonSet, 11%%: RolledOut says %+v about three", got)
	}
}
