package checks_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

const tolerance = 5 * time.Minute

func TestTolerate(t *testing.T) {
	rule := func(r healthcheck.Result) checks.Rule[int] { return func(int) healthcheck.Result { return r } }
	judge(t, checks.Tolerate(tolerance, rule(fails("A", "a")), "A", "B"), map[string]row[int]{"one of the reasons": {0, tolerated("A", "a")}})
	judge(t, checks.Tolerate(tolerance, rule(fails("C", "c")), "A", "B"), map[string]row[int]{"another reason": {0, fails("C", "c")}})
	judge(t, checks.Tolerate(tolerance, rule(fails("C", "c"))), map[string]row[int]{"any reason": {0, tolerated("C", "c")}})
	judge(t, checks.Tolerate(tolerance, rule(rollsOut("revision 1", "r"))), map[string]row[int]{
		"other time": {0, healthcheck.Result{Status: healthcheck.Progressing, Within: tolerance, Reason: checks.ReasonRollingOut, Cause: "revision 1", Message: "r"}},
	})
	judge(t, checks.Tolerate(0, rule(rollsOut("revision 1", "r"))), map[string]row[int]{"no time": {0, fails(checks.ReasonRollingOut, "r")}})
	judge(t, checks.Tolerate(0, rule(passes)), map[string]row[int]{"a pass": {0, passes}})
	unknown := healthcheck.Result{Status: healthcheck.Unknown, Reason: "A"}
	judge(t, checks.Tolerate(tolerance, rule(unknown)), map[string]row[int]{"unknown": {0, unknown}})
}

// TestToleratedForOnce: what is tolerated has its time once, however much is left to do.
func TestToleratedForOnce(t *testing.T) {
	rule := func(int) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: checks.ReasonRollingOut, Within: time.Hour, Left: 3}
	}
	if got := checks.Tolerate(tolerance, rule)(0); got.Left != 0 || got.Within != tolerance {
		t.Errorf("it is %+v", got)
	}
}

// tolerated returns a failure that is tolerated for a time, and then keeps its reason.
func tolerated(reason, message string) healthcheck.Result {
	r := progresses(tolerance, reason, message)
	r.Overdue = reason
	return r
}

func TestVerdictChanged(t *testing.T) {
	changed := checks.VerdictChanged(checks.DeploymentRolledOut)
	tests := map[string]struct {
		before, after client.Object
		want          bool
	}{
		"nothing":        {deployment(), deployment(), false},
		"of no matter":   {deployment(), deployment(func(d *appsv1.Deployment) { d.ResourceVersion, d.Finalizers = "2", []string{"a/b"} }), false},
		"labels":         {deployment(), deployment(func(d *appsv1.Deployment) { d.Labels = map[string]string{"a": "b"} }), true},
		"owners":         {deployment(), deployment(func(d *appsv1.Deployment) { d.OwnerReferences = []metav1.OwnerReference{{UID: "u"}} }), true},
		"status":         {deployment(), deployment(unavailable), true},
		"a counter":      {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 2 }), false},
		"message":        {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 4 }), true},
		"reason":         {deployment(unavailable), deployment(with(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "", "")), true},
		"cause":          {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 0 }), deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas, d.Annotations = 0, nil }), true},
		"of other types": {&corev1.Pod{}, &corev1.Pod{}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := changed.Update(event.UpdateEvent{ObjectOld: tt.before, ObjectNew: tt.after}); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	// While old Pods are left, RolledOut says the same, whatever serves.
	rolling := deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 4 })
	serving := deployment(unavailable, func(d *appsv1.Deployment) {
		d.Status.Replicas, d.Status.AvailableReplicas, d.Spec.Strategy.Type = 4, 1, appsv1.RecreateDeploymentStrategyType
	})
	update := event.UpdateEvent{ObjectOld: rolling, ObjectNew: serving}
	if changed.Update(update) || !checks.VerdictChanged(checks.DeploymentRolledOut, checks.Deployment).Update(update) {
		t.Error("an event does not pass that changes the verdict of the second rule, or passes without it")
	}
	left := func(d *appsv1.Deployment) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.Progressing, Left: int(3 - d.Status.UpdatedReplicas)}
	}
	if checks.VerdictChanged(left).Update(event.UpdateEvent{ObjectOld: deployment(), ObjectNew: deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 })}) {
		t.Error("an event passes that only says how much is left")
	}
	broken := checks.VerdictChanged(func(*appsv1.Deployment) healthcheck.Result { panic("broken") })
	if !broken.Update(event.UpdateEvent{ObjectOld: deployment(), ObjectNew: deployment()}) {
		t.Error("an event does not pass of which a rule knows nothing")
	}
	if !changed.Create(event.CreateEvent{Object: deployment()}) || !changed.Delete(event.DeleteEvent{Object: deployment()}) || !changed.Generic(event.GenericEvent{Object: deployment()}) {
		t.Error("an object that comes or goes does not pass")
	}
}
