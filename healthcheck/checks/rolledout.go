package checks

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// DeploymentRolledOut judges whether a Deployment has become what its spec says, as kubectl rollout status and kstatus do.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each tenth of the replicas) until all replicas are of the newest revision
// and available, and condition Progressing, if present, has the reason NewReplicaSetAvailable. That includes a roll-out that is
// paused or lacks quota, the first one, and one with the strategy Recreate. A status for an older generation is Progressing
// (ReasonNotObserved).
//
// It is False past the Deployment's own progressDeadlineSeconds (NotProgressing), and in an outage that no roll-out explains
// (NotAvailable): if not one Pod is available although old ones are left that should be, or if condition Available is not True
// without a roll-out. For RolloutWithin after the creation, or after the condition's transition without a roll-out, that is
// Progressing: the Deployment may have been scaled up, and nothing else in it tells that from an outage. DeploymentAvailable calls
// both False at once.
func DeploymentRolledOut(d *appsv1.Deployment) healthcheck.Result {
	conditions := deploymentConditions(d)
	if progress, _ := find(conditions, string(appsv1.DeploymentProgressing)); progress.Status == "False" {
		return observed(d.Generation, d.Status.ObservedGeneration, unhealthy("NotProgressing", "%s", progress))
	}
	verdict, revision := deploymentRollout(d)
	noneLeft := d.Status.AvailableReplicas == 0 && d.Status.Replicas > d.Status.UpdatedReplicas &&
		d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType
	available := judge(conditions, isTrue(string(appsv1.DeploymentAvailable)))
	switch {
	case available.Status == healthcheck.False && noneLeft:
		verdict = starting(RolloutWithin, d, available, available.Reason)
	case verdict.Status != healthcheck.True:
	case available.Status == healthcheck.False:
		verdict = tolerated(RolloutWithin, unavailableSince(d), available)
	case d.Status.AvailableReplicas < d.Status.UpdatedReplicas:
		verdict = rollingOut(revision, "Not all updated replicas are available")
	}
	return observed(d.Generation, d.Status.ObservedGeneration, verdict)
}

// unavailableSince is the time of the last transition of condition Available.
func unavailableSince(d *appsv1.Deployment) (since metav1.Time) {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable {
			since = c.LastTransitionTime
		}
	}
	return since
}

// deploymentRollout says whether a roll-out is under way, and of which revision.
func deploymentRollout(d *appsv1.Deployment) (verdict healthcheck.Result, revision string) {
	revision = deploymentRevision(d)
	want, status := orOne(d.Spec.Replicas), d.Status
	conditions := deploymentConditions(d)
	progress, found := find(conditions, string(appsv1.DeploymentProgressing))
	failure := judge(conditions, notTrue(string(appsv1.DeploymentReplicaFailure)))
	switch {
	case failure.Status == healthcheck.False:
		return rollingOut(revision, "%s", failure.Message), revision
	case status.UpdatedReplicas < want:
		return advancing(revision, status.UpdatedReplicas, want, "Fewer than %d replicas are updated", want), revision
	case status.Replicas > status.UpdatedReplicas:
		return advancing(revision, want-(status.Replicas-status.UpdatedReplicas), want, "Old replicas are left"), revision
	case status.Replicas > want:
		return rollingOut(revision, "More than %d replicas are left", want), revision
	case found && progress.Reason != newReplicaSetAvailable && !d.Spec.Paused:
		return rollingOut(revision, "%s", progress), revision
	}
	return healthy(), revision
}

func deploymentRevision(d *appsv1.Deployment) string {
	return cmp.Or(d.Annotations["deployment.kubernetes.io/revision"], number(d.Generation))
}

// StatefulSetRolledOut judges whether a StatefulSet has become what its spec says, as kubectl rollout status and kstatus do.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each tenth of the replicas) until all replicas are there and ready, and
// of the newest revision: those below the partition need not be, and none with the strategy OnDelete. A status for an older generation
// is Progressing (ReasonNotObserved).
//
// It is False in an outage that no roll-out explains (ReasonReplicasNotReady): if more Pods are there without being ready than a
// rolling update replaces at once, which is maxUnavailable, by default one. With podManagementPolicy Parallel, any number may be
// starting. For RolloutWithin after the creation that is Progressing, too. Whether it serves meanwhile is the question of
// StatefulSetAvailable.
func StatefulSetRolledOut(s *appsv1.StatefulSet) healthcheck.Result {
	want, status := orOne(s.Spec.Replicas), s.Status
	verdict := statefulSetRollout(s, want)
	if status.ReadyReplicas < want && status.Replicas-status.ReadyReplicas > replacedAtOnce(s) && s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		verdict = starting(RolloutWithin, s, atLeast(ReasonReplicasNotReady, status.ReadyReplicas, want, "replicas are ready"), ReasonReplicasNotReady)
	}
	return observed(s.Generation, status.ObservedGeneration, verdict)
}

// statefulSetRollout says what is still to come of a roll-out.
func statefulSetRollout(s *appsv1.StatefulSet, want int32) healthcheck.Result {
	revision, status, updated := revisionOf(s), s.Status, toUpdate(s)
	byHand := s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType
	switch {
	case status.ReadyReplicas < want:
		return advancing(revision, status.UpdatedReplicas, want, "Fewer than %d replicas are ready", want)
	case status.Replicas > want:
		return rollingOut(revision, "More than %d replicas are left", want)
	case !byHand && status.UpdatedReplicas < updated:
		return advancing(revision, status.UpdatedReplicas, want, "Fewer than %d replicas are updated", updated)
	}
	return healthy()
}

// toUpdate returns how many replicas a rolling update replaces: those below the partition stay.
func toUpdate(s *appsv1.StatefulSet) int32 {
	want := orOne(s.Spec.Replicas)
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
		return want - *rolling.Partition
	}
	return want
}

func revisionOf(s *appsv1.StatefulSet) string {
	return cmp.Or(s.Status.UpdateRevision, number(s.Generation))
}

// DaemonSetRolledOut judges whether the Pods of a DaemonSet have become what its spec says, as kubectl rollout status and
// kstatus do.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each tenth of the Pods) until each Node that should have one has a Pod of
// the newest revision that is available. With the strategy OnDelete, revisions do not count. A Pod on a Node that should have none
// is no matter of a roll-out: somebody may have tainted the Node. A status for an older generation is Progressing
// (ReasonNotObserved).
//
// It is False in an outage that no roll-out explains (ReasonPodsUnavailable): if more Pods that are scheduled are unavailable
// than a rolling update takes down at once, which is maxUnavailable, and at least one. For RolloutWithin after the creation, and
// for as long for each generation without a roll-out, that is Progressing: Nodes may have joined, and nothing in the object tells
// that from an outage. DaemonSetAvailable calls both False at once.
func DaemonSetRolledOut(d *appsv1.DaemonSet) healthcheck.Result {
	status, revision := d.Status, number(d.Generation)
	verdict := healthy()
	missing := max(0, status.DesiredNumberScheduled-status.CurrentNumberScheduled)
	updated := d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || status.UpdatedNumberScheduled >= status.DesiredNumberScheduled
	switch allowed := max(1, takenDown(d, true)); {
	case status.NumberUnavailable-missing > allowed:
		if verdict = starting(RolloutWithin, d, tooManyUnavailable(allowed), ReasonPodsUnavailable); updated {
			verdict = within(verdict, revision)
		}
	case missing > 0:
		verdict = rollingOut(revision, "Fewer than %d Pods are scheduled", status.DesiredNumberScheduled)
	case !updated:
		verdict = advancing(revision, status.UpdatedNumberScheduled, status.DesiredNumberScheduled, "Fewer than %d Pods are updated", status.DesiredNumberScheduled)
	case status.NumberUnavailable > 0:
		verdict = rollingOut(revision, "Not all Pods are available")
	}
	return observed(d.Generation, status.ObservedGeneration, verdict)
}

// advancing is rollingOut with a clock that starts anew with each tenth of what there is to do: an update that gets on is not stuck, however
// many Pods it has.
func advancing(revision string, have, want int32, format string, args ...any) healthcheck.Result {
	r := rollingOut(revision, format, args...)
	if tenth := have * 10 / max(1, want); tenth > 0 {
		r.Cause = fmt.Sprintf("%s, %d of 10", r.Cause, tenth)
	}
	return r
}

// within allows a roll-out of a revision to cause a failure for a while.
func within(verdict healthcheck.Result, revision string) healthcheck.Result {
	r := rollingOut(revision, "%s", verdict.Message)
	r.Reason, r.Overdue = verdict.Reason, verdict.Reason
	return r
}
