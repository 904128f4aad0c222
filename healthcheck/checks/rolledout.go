package checks

import (
	"cmp"
	"math"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// DeploymentRolledOut judges whether a Deployment has become what its spec says, as kubectl rollout status and kstatus do.
//
// It is Progressing (ReasonRollingOut) until all replicas are of the newest revision and available, and condition Progressing, if
// present, has the reason NewReplicaSetAvailable. That includes a roll-out that is paused or lacks quota, the first one, and one
// with the strategy Recreate. Each revision has RolloutWithin, or progressDeadlineSeconds if that is longer, and again as long
// as it advances. A status for an older generation is Progressing (ReasonNotObserved).
//
// It is False past the Deployment's own progressDeadlineSeconds (NotProgressing), and in an outage that no roll-out explains
// (NotAvailable): if not one Pod is available although old ones are left that should be, or if condition Available is not True.
// The former has its time after the creation, and the latter after the condition's transition, and again as long as Pods become
// available: the Deployment may have been scaled up, and nothing else in it tells that from an outage. DeploymentAvailable calls
// both False at once. As long as some Pods are available, the first roll-out and one with the strategy Recreate explain the latter.
func DeploymentRolledOut(d *appsv1.Deployment) healthcheck.Result {
	conditions := deploymentConditions(d)
	if progress, _ := find(conditions, string(appsv1.DeploymentProgressing)); progress.Status == "False" {
		return observed(d.Generation, d.Status.ObservedGeneration, unhealthy("NotProgressing", "%s", progress))
	}
	verdict, revision := deploymentRollout(d)
	status, want := d.Status, ptr.Deref(d.Spec.Replicas, 1)
	available := judge(conditions, isTrue(string(appsv1.DeploymentAvailable)))
	switch {
	case available.Status == healthcheck.False:
		verdict = outage(d, available, verdict)
	case verdict.Status == healthcheck.True && status.AvailableReplicas < status.UpdatedReplicas:
		verdict = rollingOut(revision, "Not all updated replicas are available")
	}
	verdict = advancing(deploymentTime(d), verdict, 2*(want-status.UpdatedReplicas), 2*(status.Replicas-status.UpdatedReplicas), want-status.AvailableReplicas)
	return observedOutage(d.Generation, d.Status.ObservedGeneration, verdict)
}

// outage returns the verdict on a Deployment that is not available: that of its roll-out if that explains it.
func outage(d *appsv1.Deployment, available, rollout healthcheck.Result) healthcheck.Result {
	status, since := d.Status, unavailableSince(d)
	recreates := d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
	wasNeverUp := deploymentRevision(d) == "1" && since.Sub(d.CreationTimestamp.Time) <= ObservedWithin
	switch {
	case status.AvailableReplicas == 0 && status.Replicas > status.UpdatedReplicas && !recreates:
		return tolerated(deploymentTime(d), d.CreationTimestamp, available)
	case status.AvailableReplicas > 0 && (recreates || wasNeverUp) && rollout.Status != healthcheck.True:
		return rollout
	}
	return recovering(deploymentTime(d), since, available)
}

// deploymentTime is how long a Deployment may take. Without a deadline, its own is the greatest number.
func deploymentTime(d *appsv1.Deployment) time.Duration {
	if own := d.Spec.ProgressDeadlineSeconds; own != nil && *own < math.MaxInt32 {
		return max(RolloutWithin, time.Duration(*own)*time.Second)
	}
	return RolloutWithin
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
	want, status := ptr.Deref(d.Spec.Replicas, 1), d.Status
	conditions := deploymentConditions(d)
	progress, found := find(conditions, string(appsv1.DeploymentProgressing))
	failure := judge(conditions, notTrue(string(appsv1.DeploymentReplicaFailure)))
	switch {
	case failure.Status == healthcheck.False:
		return rollingOut(revision, "%s", failure.Message), revision
	case status.UpdatedReplicas < want:
		return rollingOut(revision, "Fewer than %d replicas are updated", want), revision
	case status.Replicas > status.UpdatedReplicas:
		return rollingOut(revision, "Old replicas are left"), revision
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
// It is Progressing (ReasonRollingOut) until all replicas are there and ready, and of the newest revision: those below the
// partition need not be, and none with the strategy OnDelete. Each revision has RolloutWithin, and again as long as it advances.
// A status for an older generation is Progressing (ReasonNotObserved).
//
// It is False in an outage that no roll-out explains (ReasonReplicasNotReady): if more Pods are there without being ready than a
// rolling update replaces at once, which is maxUnavailable, by default one. With podManagementPolicy Parallel, any number may be
// starting. For RolloutWithin after the creation that is Progressing, too. Whether it serves meanwhile is the question of
// StatefulSetAvailable.
func StatefulSetRolledOut(s *appsv1.StatefulSet) healthcheck.Result {
	want, status := ptr.Deref(s.Spec.Replicas, 1), s.Status
	verdict := statefulSetRollout(s, want)
	if status.ReadyReplicas < want && status.Replicas-status.ReadyReplicas > replacedAtOnce(s) && s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		verdict = starting(RolloutWithin, s, atLeast(ReasonReplicasNotReady, status.ReadyReplicas, want, "replicas are ready"), ReasonReplicasNotReady)
	}
	verdict = advancing(RolloutWithin, verdict, 2*(updatedOf(s)-status.UpdatedReplicas), want-status.ReadyReplicas, status.Replicas-want)
	return observed(s.Generation, status.ObservedGeneration, verdict)
}

// updatedOf returns how many replicas a rolling update updates: not those below the partition.
func updatedOf(s *appsv1.StatefulSet) int32 {
	updated := ptr.Deref(s.Spec.Replicas, 1)
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
		updated -= *rolling.Partition
	}
	return updated
}

// statefulSetRollout says what is still to come of a roll-out.
func statefulSetRollout(s *appsv1.StatefulSet, want int32) healthcheck.Result {
	revision, status, updated := revisionOf(s), s.Status, updatedOf(s)
	byHand := s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType
	switch {
	case status.ReadyReplicas < want:
		return rollingOut(revision, "Fewer than %d replicas are ready", want)
	case status.Replicas > want:
		return rollingOut(revision, "More than %d replicas are left", want)
	case !byHand && status.UpdatedReplicas < updated:
		return rollingOut(revision, "Fewer than %d replicas are updated", updated)
	}
	return healthy()
}

func revisionOf(s *appsv1.StatefulSet) string {
	return cmp.Or(s.Status.UpdateRevision, number(s.Generation))
}

// DaemonSetRolledOut judges whether the Pods of a DaemonSet have become what its spec says, as kubectl rollout status and
// kstatus do.
//
// It is Progressing (ReasonRollingOut) until each Node that should have one has a Pod of the newest revision that is available.
// With the strategy OnDelete, revisions do not count. Each generation has RolloutWithin, and again as long as it advances. Pods
// that are left on Nodes where they should not run, for example because of a new taint, do not count. A status for an older
// generation is Progressing (ReasonNotObserved).
//
// It is False in an outage that no roll-out explains (ReasonPodsUnavailable): if more Pods are unavailable than a rolling update
// takes down at once, which is maxUnavailable, and at least one, even if none of the newest revision is available. For RolloutWithin after the creation that is
// Progressing. So are other Pods that are unavailable, for each generation: Nodes may have joined, and nothing in the object tells
// that from an outage. DaemonSetAvailable calls both False at once.
func DaemonSetRolledOut(d *appsv1.DaemonSet) healthcheck.Result {
	status, revision := d.Status, number(d.Generation)
	verdict := healthy()
	desired, updated := status.DesiredNumberScheduled, status.UpdatedNumberScheduled
	missing := max(0, desired-status.CurrentNumberScheduled)
	unavailable := status.NumberUnavailable - missing
	byHand := d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	switch allowed := max(1, takenDown(d)); {
	case unavailable > allowed:
		if verdict = starting(RolloutWithin, d, tooManyUnavailable(allowed), ReasonPodsUnavailable); byHand || unavailable-updated <= allowed {
			verdict = within(verdict, revision)
		}
	case missing > 0:
		verdict = rollingOut(revision, "Fewer than %d Pods are scheduled", desired)
	case !byHand && updated < desired:
		verdict = rollingOut(revision, "Fewer than %d Pods are updated", desired)
	case status.NumberUnavailable > 0:
		verdict = rollingOut(revision, "Not all Pods are available")
	}
	verdict = advancing(RolloutWithin, verdict, 2*(desired-updated), desired-status.NumberAvailable)
	return observed(d.Generation, status.ObservedGeneration, verdict)
}

// within allows a roll-out of a revision to cause a failure for a while.
func within(verdict healthcheck.Result, revision string) healthcheck.Result {
	r := rollingOut(revision, "%s", verdict.Message)
	r.Reason, r.Overdue = verdict.Reason, verdict.Reason
	return r
}
