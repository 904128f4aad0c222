package checks

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Deployment asks whether a Deployment is available, by the rule of Gardener.
//
// It is False if condition Available is not True (NotAvailable), Progressing is there
// and not True, as past its deadline or paused (NotProgressing), or ReplicaFailure is
// there and not False (ReplicaFailure). Replicas are not counted: it is healthy while
// it rolls out. An older generation is Progressing (ReasonNotObserved).
func Deployment(d *appsv1.Deployment) healthcheck.Result {
	return observed(d.Generation, d.Status.ObservedGeneration, judge(deploymentConditions(d),
		isTrue(string(appsv1.DeploymentAvailable)),
		notFalse(string(appsv1.DeploymentProgressing)),
		notTrue(string(appsv1.DeploymentReplicaFailure))))
}

// DeploymentRolledOut asks for what Deployment asks, and that nothing rolls out.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each revision) until all
// replicas are of the newest revision and available, by the rule of kubectl rollout
// status, and condition Progressing, if there is one, says NewReplicaSetAvailable, by
// that of Gardener.
//
// One that is just created is no alarm: until it has rolled out for the first time it may be
// unavailable for RolloutWithin after its creation, unless it is past its own deadline or
// paused. That it has not is told by condition Progressing; without it there is no such time.
func DeploymentRolledOut(d *appsv1.Deployment) healthcheck.Result {
	return then(startingDeployment(d), func() healthcheck.Result {
		revision := cmp.Or(d.Annotations["deployment.kubernetes.io/revision"], number(d.Generation))
		want, status := orOne(d.Spec.Replicas), d.Status
		switch {
		case status.UpdatedReplicas < want:
			return rollingOut(revision, "Fewer than %d replicas are updated", want)
		case status.Replicas > status.UpdatedReplicas:
			return rollingOut(revision, "Old replicas are left")
		case status.AvailableReplicas < status.UpdatedReplicas:
			return rollingOut(revision, "Not all updated replicas are available")
		}
		progress, found := find(deploymentConditions(d), string(appsv1.DeploymentProgressing))
		if found && progress.Reason != newReplicaSetAvailable {
			return rollingOut(revision, "%s", progress)
		}
		return healthy()
	})
}

// startingDeployment gives a Deployment time that is on its way.
func startingDeployment(d *appsv1.Deployment) healthcheck.Result {
	verdict, conditions := Deployment(d), deploymentConditions(d)
	progress, _ := find(conditions, string(appsv1.DeploymentProgressing))
	broken := judge(conditions, isTrue(string(appsv1.DeploymentProgressing)), notTrue(string(appsv1.DeploymentReplicaFailure)))
	if broken.Status != healthcheck.True || progress.Reason == newReplicaSetAvailable {
		return verdict
	}
	return starting(RolloutWithin, d, verdict, "NotAvailable")
}

// newReplicaSetAvailable is the reason of condition Progressing once a roll-out has ended.
const newReplicaSetAvailable = "NewReplicaSetAvailable"

func deploymentConditions(d *appsv1.Deployment) []condition {
	return conditionsOf(d.Status.Conditions, func(c appsv1.DeploymentCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	})
}

// StatefulSet asks whether a StatefulSet has its replicas, by the rule of Gardener.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady).
// Revisions are not looked at. An older generation is Progressing (ReasonNotObserved).
func StatefulSet(s *appsv1.StatefulSet) healthcheck.Result {
	return observed(s.Generation, s.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, s.Status.ReadyReplicas, orOne(s.Spec.Replicas), "replicas are ready"))
}

// StatefulSetRolledOut asks for what StatefulSet asks, and that nothing rolls out.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each revision) while fewer
// replicas are of the newest revision than wanted. That is the rule of Gardener; that
// replicas below the partition are not wanted, nor any with the strategy OnDelete, is
// from kubectl rollout status.
//
// One that is just created is no alarm: replicas may be missing (ReasonReplicasNotReady) for
// RolloutWithin after its creation. Its status does not tell whether they have ever been there.
func StatefulSetRolledOut(s *appsv1.StatefulSet) healthcheck.Result {
	return then(starting(RolloutWithin, s, StatefulSet(s), ReasonReplicasNotReady), func() healthcheck.Result {
		want := orOne(s.Spec.Replicas)
		if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
			want -= *rolling.Partition
		}
		if s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType || s.Status.UpdatedReplicas >= want {
			return healthy()
		}
		revision := cmp.Or(s.Status.UpdateRevision, number(s.Generation))
		return rollingOut(revision, "Fewer than %d replicas are updated", want)
	})
}

// ReplicaSet asks whether a ReplicaSet has its replicas, by the rule of Gardener.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). An
// older generation is Progressing (ReasonNotObserved).
func ReplicaSet(r *appsv1.ReplicaSet) healthcheck.Result {
	return observed(r.Generation, r.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, r.Status.ReadyReplicas, orOne(r.Spec.Replicas), "replicas are ready"))
}
