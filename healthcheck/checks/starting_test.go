package checks_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// starts returns the rules for roll-outs, each with an object that is not up yet.
func starts() map[string]struct {
	rule func(client.Object) healthcheck.Result
	obj  client.Object
} {
	onItsWay := deployment(unavailable, with(appsv1.DeploymentProgressing, corev1.ConditionTrue, "ReplicaSetUpdated", ""))
	set := &appsv1.StatefulSet{Status: appsv1.StatefulSetStatus{Replicas: 1}}
	many := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3))}, Status: appsv1.StatefulSetStatus{Replicas: 3}}
	managed := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "ResourcesApplied", "status": "True"},
		map[string]any{"type": "ResourcesHealthy", "status": "False"},
	}}}}
	return map[string]struct {
		rule func(client.Object) healthcheck.Result
		obj  client.Object
	}{
		"Deployment":              {ruleOf(checks.DeploymentAvailable), onItsWay},
		"StatefulSet":             {ruleOf(checks.StatefulSetAvailable), set},
		"StatefulSet, rolled out": {ruleOf(checks.StatefulSetRolledOut), many},
		"DaemonSet":               {ruleOf(checks.DaemonSetAvailable), daemonSet(10, 3, 1)},
		"DaemonSet, rolled out":   {ruleOf(checks.DaemonSetRolledOut), daemonSet(1, 3, 1)},
		"ManagedResource":         {ruleOf(checks.ManagedResourceRolledOut), managed},
	}
}

// ruleOf returns a rule that accepts any object and asserts its kind.
func ruleOf[O client.Object](rule checks.Rule[O]) func(client.Object) healthcheck.Result {
	return func(obj client.Object) healthcheck.Result { return rule(obj.(O)) }
}

// TestStarting: a new object is no alarm; an old one still is.
func TestStarting(t *testing.T) {
	for name, tt := range starts() {
		t.Run(name, func(t *testing.T) {
			alarm := tt.rule(tt.obj) // The time of its creation is unknown.
			if alarm.Status != healthcheck.False {
				t.Fatalf("it is %+v", alarm)
			}
			tt.obj.SetCreationTimestamp(metav1.NewTime(noon))
			want := alarm
			want.Status, want.Deadline, want.Overdue = healthcheck.Progressing, noon.Add(checks.RolloutWithin), alarm.Reason
			if diff := cmp.Diff(want, tt.rule(tt.obj).At(noon.Add(checks.RolloutWithin-time.Second))); diff != "" {
				t.Errorf("after its creation (-want +got)\n%s", diff)
			}
			want.Status, want.Overdue = healthcheck.False, ""
			if diff := cmp.Diff(want, tt.rule(tt.obj).At(noon.Add(checks.RolloutWithin))); diff != "" {
				t.Errorf("when its time is over (-want +got)\n%s", diff)
			}
		})
	}
}

// TestNotStarting: other problems of a new object are an alarm at once.
func TestNotStarting(t *testing.T) {
	onItsWay := with(appsv1.DeploymentProgressing, corev1.ConditionTrue, "ReplicaSetUpdated", "")
	refused := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "ResourcesApplied", "status": "False"},
	}}}}
	for name, tt := range map[string]struct {
		rule func(client.Object) healthcheck.Result
		obj  client.Object
	}{
		"past its deadline": {ruleOf(checks.DeploymentRolledOut), deployment(unavailable, with(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ProgressDeadlineExceeded", ""))},
		"availability":      {ruleOf(checks.Deployment), deployment(unavailable, onItsWay)},
		"refused":           {ruleOf(checks.ManagedResourceRolledOut), refused},
	} {
		t.Run(name, func(t *testing.T) {
			tt.obj.SetCreationTimestamp(metav1.NewTime(noon))
			if got := tt.rule(tt.obj).At(noon); got.Status != healthcheck.False {
				t.Errorf("it is %+v", got)
			}
		})
	}
}

// TestTextsDoNotCount: the text stays the same while a roll-out advances, so nothing is written, and no event follows.
func TestTextsDoNotCount(t *testing.T) {
	rolls := func(updated int32) []healthcheck.Result {
		set := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3))}, Status: appsv1.StatefulSetStatus{ReadyReplicas: updated}}
		stateful := set.DeepCopy()
		stateful.Status = appsv1.StatefulSetStatus{ReadyReplicas: 3, UpdatedReplicas: updated}
		scheduled := daemonSet(10, 0, 1)
		scheduled.Status.CurrentNumberScheduled = updated
		misplaced := daemonSet(10, 0, 1)
		misplaced.Status.NumberMisscheduled = 1 + updated
		return []healthcheck.Result{
			checks.DeploymentRolledOut(deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = updated })),
			checks.DeploymentRolledOut(deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 4 + updated })),
			checks.DeploymentRolledOut(deployment(func(d *appsv1.Deployment) { d.Status.AvailableReplicas = updated })),
			checks.StatefulSet(set),
			checks.StatefulSetRolledOut(stateful),
			checks.ReplicaSet(&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(3))}, Status: appsv1.ReplicaSetStatus{ReadyReplicas: updated}}),
			checks.DaemonSet(scheduled), checks.DaemonSet(misplaced), checks.DaemonSet(daemonSet(10, 1+updated, 1)), checks.DaemonSet(daemonSet(5, 2+updated, 1)),
			checks.DaemonSetRolledOut(daemonSet(updated, 0, 1)),
		}
	}
	if diff := cmp.Diff(rolls(0), rolls(2), butLeft); diff != "" {
		t.Errorf("the texts count (-first +later)\n%s", diff)
	}
}
