package checks

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Deployment judges a Deployment by the rule of Gardener, which asks whether it is available, and also whether its roll-out is
// stuck. DeploymentAvailable and DeploymentRolledOut ask one question each.
//
// It is False if condition Available is not True (NotAvailable), if Progressing is present and
// not True, for example because it is past its deadline or paused (NotProgressing), or if
// ReplicaFailure is present and not False (ReplicaFailure). Replicas are not counted: a
// Deployment that rolls out is healthy. A status for an older generation is Progressing
// (ReasonNotObserved).
func Deployment(d *appsv1.Deployment) healthcheck.Result {
	return observed(d.Generation, d.Status.ObservedGeneration, judge(deploymentConditions(d),
		isTrue(string(appsv1.DeploymentAvailable)),
		notFalse(string(appsv1.DeploymentProgressing)),
		notTrue(string(appsv1.DeploymentReplicaFailure))))
}

// newReplicaSetAvailable is the reason of condition Progressing after a roll-out.
const newReplicaSetAvailable = "NewReplicaSetAvailable"

func deploymentConditions(d *appsv1.Deployment) []condition {
	return conditionsOf(d.Status.Conditions, func(c appsv1.DeploymentCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	})
}

// StatefulSet judges whether a StatefulSet has all its replicas, by the rule of Gardener. A rolling update makes it False again
// and again; StatefulSetAvailable and StatefulSetRolledOut know of it.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). Revisions are
// ignored. A status for an older generation is Progressing (ReasonNotObserved).
func StatefulSet(s *appsv1.StatefulSet) healthcheck.Result {
	return observed(s.Generation, s.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, s.Status.ReadyReplicas, ptr.Deref(s.Spec.Replicas, 1), "replicas are ready"))
}

// ReplicaSet judges whether a ReplicaSet has its replicas, by the rule of Gardener.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). A status for
// an older generation is Progressing (ReasonNotObserved).
func ReplicaSet(r *appsv1.ReplicaSet) healthcheck.Result {
	return observed(r.Generation, r.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, r.Status.ReadyReplicas, ptr.Deref(r.Spec.Replicas, 1), "replicas are ready"))
}
