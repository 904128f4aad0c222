package checks_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestWhatAdvancesIsNotStuck: a roll-out may take any time as long as it advances. One that stops fails, and recovers when it
// goes on.
func TestWhatAdvancesIsNotStuck(t *testing.T) {
	advances(t, checks.DeploymentRolledOut, func(updated int32) *appsv1.Deployment {
		return deployment(generation(1), func(d *appsv1.Deployment) {
			d.Spec.Replicas, d.Status.ObservedGeneration = new(int32(10)), 1
			d.Status.Replicas, d.Status.AvailableReplicas, d.Status.UpdatedReplicas = 10, 10, updated
		})
	})
	// Scaled up so far that condition Available is False.
	advances(t, checks.DeploymentRolledOut, func(available int32) *appsv1.Deployment {
		return deployment(generation(1), func(d *appsv1.Deployment) {
			d.Spec.Replicas, d.Status.ObservedGeneration = new(int32(40)), 1
			d.Status.Replicas, d.Status.AvailableReplicas, d.Status.UpdatedReplicas = 40, 3+available, 40
			d.Status.Conditions[0].Status, d.Status.Conditions[0].LastTransitionTime = corev1.ConditionFalse, metav1.NewTime(healthchecktest.Start)
		})
	})
	advances(t, checks.StatefulSetRolledOut, func(updated int32) *appsv1.StatefulSet {
		return set(9, updated, func(s *appsv1.StatefulSet) {
			s.Spec.Replicas, s.Status.Replicas, s.Generation, s.Status.ObservedGeneration = new(int32(10)), 10, 1, 1
		})
	})
	advances(t, checks.DaemonSetRolledOut, func(updated int32) *appsv1.DaemonSet {
		d := daemonSet(updated, 1, 1)
		d.Namespace, d.Name, d.Generation, d.Status.ObservedGeneration, d.Status.NumberAvailable = "shop", "log", 1, 1, 9
		return d
	})
}

// advances plays a roll-out of ten Pods that takes eight minutes for each of the first eight.
func advances[O client.Object](t *testing.T, rule checks.Rule[O], at func(updated int32) O) {
	t.Helper()
	condition := healthcheck.NewCondition("RolledOut", checks.Self("rule", rule))
	kit := healthchecktest.New(t, healthcheck.Registration[O]{Name: "rollouts", Conditions: []healthcheck.ConditionChecks[O]{condition}})
	expect := func(when string, want healthcheck.Status) {
		t.Helper()
		if got := kit.Condition(at(0), "RolledOut"); got.Status != want {
			t.Errorf("%T, %s: it is %+v, want %s", at(0), when, got, want)
		}
	}
	for updated := range int32(8) {
		kit.Put(at(updated))
		kit.Advance(8 * time.Minute)
		expect("it advances", yet)
	}
	kit.Advance(2 * checks.RolloutWithin)
	expect("it has stopped", no)
	// No event announces this one, since the words of the rule stay the same.
	if err := kit.Client.Status().Update(t.Context(), newest(t, kit.Client, at(8))); err != nil {
		t.Fatal(err)
	}
	kit.Advance(checks.RolloutWithin)
	expect("it goes on", yet)
}

// TestLeft: whatever a roll-out still has to do counts, and each step of it makes that less.
func TestLeft(t *testing.T) {
	rolling := deployment(func(d *appsv1.Deployment) {
		d.Status.UpdatedReplicas, d.Status.Replicas, d.Status.AvailableReplicas = 1, 4, 2
	})
	surplus := set(2, 1, func(s *appsv1.StatefulSet) {
		s.Status.Replicas = 4
		s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	})
	daemons := daemonSet(5, 0, 1)
	daemons.Status.NumberAvailable = 7
	for name, tt := range map[string]struct {
		result healthcheck.Result
		want   int
	}{
		"two to update, three to stop, one to become available": {checks.DeploymentRolledOut(rolling), 2*2 + 2*3 + 1},
		"two to update, one to become ready, one to stop":       {checks.StatefulSetRolledOut(surplus), 2*2 + 1 + 1},
		"five to update, three to become available":             {checks.DaemonSetRolledOut(daemons), 2*5 + 3},
		"nothing":    {checks.DeploymentRolledOut(deployment()), 0},
		"unobserved": {checks.DeploymentRolledOut(deployment(generation(3), func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 })), 0},
	} {
		if tt.result.Left != tt.want {
			t.Errorf("%s: left are %d, want %d", name, tt.result.Left, tt.want)
		}
	}
}

// newest returns an object with the resource version of the stored one.
func newest[O client.Object](t *testing.T, c client.Client, obj O) O {
	t.Helper()
	stored := obj.DeepCopyObject().(O)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), stored); err != nil {
		t.Fatal(err)
	}
	obj.SetResourceVersion(stored.GetResourceVersion())
	return obj
}

// TestYoungAndOldDeployments: a new Deployment has its time even if somebody patches it, and a roll-out hides no old outage.
func TestYoungAndOldDeployments(t *testing.T) {
	created := func(minutes int) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.CreationTimestamp = metav1.NewTime(noon.Add(-time.Duration(minutes) * time.Minute))
		}
	}
	downFor := func(minutes int, available int32) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.Status.Conditions[0].Status = corev1.ConditionFalse
			d.Status.Conditions[0].LastTransitionTime = metav1.NewTime(noon.Add(-time.Duration(minutes) * time.Minute))
			d.Status.AvailableReplicas, d.Status.ReadyReplicas = available, available
		}
	}
	patched := func(d *appsv1.Deployment) {
		d.Status.Conditions[1].Reason, d.Status.UpdatedReplicas, d.Status.Replicas = "ReplicaSetUpdated", 1, 4
	}
	first := func(d *appsv1.Deployment) { d.Annotations["deployment.kubernetes.io/revision"] = "1" }
	recreated := func(d *appsv1.Deployment) {
		d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		d.Status.Conditions[1].Reason, d.Status.UpdatedReplicas, d.Status.Replicas = "ReplicaSetUpdated", 3, 3
	}
	starting := func(d *appsv1.Deployment) {
		d.Status.Conditions[1].Reason = "ReplicaSetUpdated"
	}
	slow := func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(1800)) }
	unlimited := func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(1<<31 - 1)) }
	hasty := func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(60)) }
	unknown := func(d *appsv1.Deployment) { d.Status.ObservedGeneration = 0 }
	stopping := func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 0 }
	unseen := func(d *appsv1.Deployment) { d.Generation++ }
	type changes = []func(*appsv1.Deployment)
	for name, tt := range map[string]struct {
		changes              changes
		rolledOut, available healthcheck.Status
	}{
		"new":                                  {changes{created(2), downFor(2, 0), starting}, yet, yet},
		"new, and at rest":                     {changes{created(2), downFor(1, 1)}, yet, yet},
		"to be recreated, and at rest":         {changes{created(600), downFor(1, 1), func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType }}, yet, no},
		"new, and patched":                     {changes{created(2), downFor(2, 0), patched}, yet, yet},
		"no longer new, and patched":           {changes{created(11), downFor(11, 0), patched}, no, no},
		"slow, and patched":                    {changes{created(11), downFor(11, 0), patched, slow}, yet, yet},
		"slow, and late":                       {changes{created(31), downFor(31, 0), patched, slow}, no, no},
		"without a deadline of its own":        {changes{created(11), downFor(11, 0), patched, unlimited}, no, no},
		"large: it comes up little by little":  {changes{created(30), downFor(30, 2), starting, first}, yet, no},
		"never up, for days, then patched":     {changes{created(6000), downFor(6000, 1), patched}, no, no},
		"new, and in a hurry":                  {changes{created(2), downFor(2, 0), starting, hasty}, yet, yet},
		"never observed":                       {changes{created(600), downFor(60, 1), unknown}, yet, yet},
		"recreated, and the old ones are left": {changes{created(600), downFor(1, 0), recreated, stopping}, yet, yet},
		"down for an hour":                     {changes{created(600), downFor(60, 1)}, no, no},
		"down for an hour, then patched":       {changes{created(600), downFor(60, 1), patched}, no, no},
		"down for an hour, not observed":       {changes{created(600), downFor(60, 1), unseen}, no, no},
		"down since a minute, patched":         {changes{created(600), downFor(1, 1), patched}, yet, no},
		"all are down, patched":                {changes{created(600), downFor(1, 0), patched}, no, no},
		"down for an hour, then recreated":     {changes{created(600), downFor(60, 0), recreated}, no, no},
		"recreated":                            {changes{created(600), downFor(1, 0), recreated}, yet, yet},
		"recreated, little by little":          {changes{created(600), downFor(11, 2), recreated}, yet, no},
	} {
		d := deployment(func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(600)) })
		for _, change := range tt.changes {
			change(d)
		}
		if got := now(checks.DeploymentRolledOut(d)); got.Status != tt.rolledOut {
			t.Errorf("%s: RolledOut says %+v, want %s", name, got, tt.rolledOut)
		}
		if got := now(checks.DeploymentAvailable(d)); got.Status != tt.available {
			t.Errorf("%s: Available says %+v, want %s", name, got, tt.available)
		}
	}
}

// TestLostBesideAPartition: where a partition lasts, a Pod that is lost for long is lost, and none of the roll-out's.
func TestLostBesideAPartition(t *testing.T) {
	partition := func(p int32) func(*appsv1.StatefulSet) {
		return func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.RollingUpdate.Partition = &p }
	}
	for name, tt := range map[string]struct {
		set  *appsv1.StatefulSet
		want healthcheck.Status
	}{
		"all are ready":                        {set(3, 1, partition(2)), yes},
		"one is replaced":                      {set(2, 0, partition(2)), yes},
		"the last is starting, or one is lost": {set(2, 1, partition(2)), yet},
		"two are lost":                         {set(1, 1, partition(2)), no},
		"nothing is to be updated":             {set(2, 0, partition(3)), no},
	} {
		if got := now(checks.StatefulSetAvailable(tt.set)); got.Status != tt.want {
			t.Errorf("%s: it is %+v, want %s", name, got, tt.want)
		}
	}
}

// TestNodesOfDaemonSets: Pods on Nodes that have just joined, and those that a taint leaves behind, are no alarm.
func TestNodesOfDaemonSets(t *testing.T) {
	left := daemonSet(10, 0, 1)
	left.Status.NumberMisscheduled = 2
	for name, tt := range map[string]struct {
		set  *appsv1.DaemonSet
		want healthcheck.Status
	}{
		"Pods are left on tainted Nodes":     {left, yes},
		"three Nodes join":                   {daemonSet(10, 3, 1), yet},
		"three Nodes join during a roll-out": {daemonSet(5, 4, 1), yet},
		"old Pods fail during a roll-out":    {daemonSet(2, 4, 1), no},
	} {
		if got := now(checks.DaemonSetRolledOut(tt.set)); got.Status != tt.want {
			t.Errorf("%s: it is %+v, want %s", name, got, tt.want)
		}
	}
}
