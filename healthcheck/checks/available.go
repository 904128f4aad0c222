package checks

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// DeploymentAvailable judges whether a Deployment serves, whatever is being rolled out: whether its condition Available, as
// the Deployment controller defines it, is True.
//
// It is False if not (NotAvailable), also while it is scaled up until enough of the new replicas serve: the condition counts the
// replicas that the spec wants now, and DeploymentRolledOut is the rule that gives them time. Two things are no alarm: a new Deployment, for RolloutWithin after the creation, and a
// roll-out with the strategy Recreate, which stops all Pods first; that is Progressing, for RolloutWithin after the condition's
// transition. If progressDeadlineSeconds is longer, it counts instead. A status for an older generation is Progressing
// (ReasonNotObserved).
func DeploymentAvailable(d *appsv1.Deployment) healthcheck.Result {
	verdict := judge(deploymentConditions(d), isTrue(string(appsv1.DeploymentAvailable)))
	since := d.CreationTimestamp
	underWay, _ := deploymentRollout(d)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && underWay.Status == healthcheck.Progressing {
		since = unavailableSince(d)
	}
	return observedOutage(d.Generation, d.Status.ObservedGeneration, tolerated(deploymentTime(d), since, verdict))
}

// StatefulSetAvailable judges whether a StatefulSet has its replicas, apart from those that a rolling update replaces.
//
// It is False if fewer replicas are ready than wanted (ReasonReplicasNotReady). During a rolling update, maxUnavailable of them
// need not be, by default one. They are Progressing, for RolloutWithin for each revision, if none is ready then, as with a single
// replica, and if a partition lets no more be updated: they may be the last ones that were replaced. For RolloutWithin after the
// creation, missing replicas are Progressing, too. A status for an older generation is Progressing (ReasonNotObserved).
func StatefulSetAvailable(s *appsv1.StatefulSet) healthcheck.Result {
	want, ready, allowed := ptr.Deref(s.Spec.Replicas, 1), s.Status.ReadyReplicas, int32(0)
	updated := updatedOf(s)
	isRolling := updated > 0 && s.Status.UpdateRevision != s.Status.CurrentRevision
	if isRolling && s.Spec.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType {
		allowed = replacedAtOnce(s)
	}
	verdict := atLeast(ReasonReplicasNotReady, ready, want, "replicas are ready")
	switch {
	case verdict.Status == healthcheck.True || want-ready > allowed:
	case ready == 0, updated < want && s.Status.UpdatedReplicas >= updated:
		verdict = within(verdict, revisionOf(s))
	default:
		verdict = healthy()
	}
	return observed(s.Generation, s.Status.ObservedGeneration, starting(RolloutWithin, s, verdict, ReasonReplicasNotReady))
}

// replacedAtOnce returns how many Pods a rolling update of a StatefulSet replaces at once. The controller rounds down, and
// replaces at least one.
func replacedAtOnce(s *appsv1.StatefulSet) int32 {
	rolling := s.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.MaxUnavailable == nil {
		return 1
	}
	allowed, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, int(ptr.Deref(s.Spec.Replicas, 1)), false)
	if err != nil {
		return 1
	}
	return max(1, int32(allowed))
}

// DaemonSetAvailable judges whether the Pods of a DaemonSet run, apart from those that a rolling update replaces.
//
// It is False if more Pods are unavailable than the maxUnavailable of a rolling update (ReasonPodsUnavailable). That many may be
// during an update; otherwise they are Progressing, for RolloutWithin for each generation, since they may be the last ones that
// it has replaced. So are Nodes that have no Pod yet, because they have just joined, and all Pods for RolloutWithin after the
// creation. A status for an older generation is Progressing (ReasonNotObserved).
func DaemonSetAvailable(d *appsv1.DaemonSet) healthcheck.Result {
	verdict, status, generation := healthy(), d.Status, number(d.Generation)
	unavailable := status.NumberUnavailable - max(0, status.DesiredNumberScheduled-status.CurrentNumberScheduled)
	switch {
	case unavailable > takenDown(d):
		verdict = tooManyUnavailable(takenDown(d))
	case status.CurrentNumberScheduled < status.DesiredNumberScheduled:
		verdict = within(atLeast(ReasonNotScheduled, status.CurrentNumberScheduled, status.DesiredNumberScheduled, "Pods are scheduled"), generation)
	case unavailable > mayBeUnavailable(d, true):
		verdict = within(tooManyUnavailable(0), generation)
	}
	return observed(d.Generation, d.Status.ObservedGeneration, starting(RolloutWithin, d, verdict, ReasonPodsUnavailable))
}
