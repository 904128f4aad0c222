package checks

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Deployment judges whether a Deployment is available, by the rule of Gardener.
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

// DeploymentRolledOut requires what Deployment does, and that no roll-out is under way.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each revision) until all replicas are
// of the newest revision and available (the rule of kubectl rollout status), and condition
// Progressing, if present, has the reason NewReplicaSetAvailable (the rule of Gardener).
//
// A new Deployment is no alarm: until its first roll-out ends, it may be unavailable for
// RolloutWithin after its creation, unless it is past its own deadline or paused. Condition
// Progressing shows whether the roll-out has ended; without that condition no such time is
// allowed.
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

// startingDeployment allows time for a Deployment whose first roll-out is under way.
func startingDeployment(d *appsv1.Deployment) healthcheck.Result {
	verdict, conditions := Deployment(d), deploymentConditions(d)
	progress, _ := find(conditions, string(appsv1.DeploymentProgressing))
	broken := judge(conditions, isTrue(string(appsv1.DeploymentProgressing)), notTrue(string(appsv1.DeploymentReplicaFailure)))
	if broken.Status != healthcheck.True || progress.Reason == newReplicaSetAvailable {
		return verdict
	}
	return starting(RolloutWithin, d, verdict, "NotAvailable")
}

// newReplicaSetAvailable is the reason of condition Progressing after a roll-out.
const newReplicaSetAvailable = "NewReplicaSetAvailable"

func deploymentConditions(d *appsv1.Deployment) []condition {
	return conditionsOf(d.Status.Conditions, func(c appsv1.DeploymentCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	})
}

// StatefulSet judges whether a StatefulSet has its replicas, by the rule of Gardener.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). Revisions are
// ignored. A status for an older generation is Progressing (ReasonNotObserved).
func StatefulSet(s *appsv1.StatefulSet) healthcheck.Result {
	return observed(s.Generation, s.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, s.Status.ReadyReplicas, orOne(s.Spec.Replicas), "replicas are ready"))
}

// StatefulSetRolledOut requires what StatefulSet does, and that no roll-out is under way.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each revision) while fewer replicas
// than wanted are of the newest revision, by the rule of Gardener. As in kubectl rollout
// status, replicas below the partition need not be, and none with the strategy OnDelete.
//
// A new StatefulSet is no alarm: replicas may be missing (ReasonReplicasNotReady) for
// RolloutWithin after its creation. Its status does not show whether they were ever there.
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

// ReplicaSet judges whether a ReplicaSet has its replicas, by the rule of Gardener.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). A status for
// an older generation is Progressing (ReasonNotObserved).
func ReplicaSet(r *appsv1.ReplicaSet) healthcheck.Result {
	return observed(r.Generation, r.Status.ObservedGeneration,
		atLeast(ReasonReplicasNotReady, r.Status.ReadyReplicas, orOne(r.Spec.Replicas), "replicas are ready"))
}
