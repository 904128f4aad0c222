package checks

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// DaemonSet judges whether the Pods of a DaemonSet run where they should, by the rule of
// Gardener. DaemonSetAvailable and DaemonSetRolledOut ask one question each.
//
// It is False if fewer Pods are scheduled than desired (ReasonNotScheduled), if some run
// where they should not (ReasonMisscheduled), or if too many are unavailable
// (ReasonPodsUnavailable). During a rolling update maxUnavailable of them may be, rounded
// down as Gardener does, and not up as the controller does; otherwise none. A status for
// an older generation is Progressing (ReasonNotObserved).
func DaemonSet(d *appsv1.DaemonSet) healthcheck.Result {
	return observed(d.Generation, d.Status.ObservedGeneration, judgeDaemonSet(d))
}

func judgeDaemonSet(d *appsv1.DaemonSet) healthcheck.Result {
	status := d.Status
	if status.CurrentNumberScheduled < status.DesiredNumberScheduled {
		return atLeast(ReasonNotScheduled, status.CurrentNumberScheduled, status.DesiredNumberScheduled, "Pods are scheduled")
	}
	if status.NumberMisscheduled > 0 {
		return unhealthy(ReasonMisscheduled, "Pods run on Nodes where they should not")
	}
	if allowed := mayBeUnavailable(d, false); status.NumberUnavailable > allowed {
		return tooManyUnavailable(allowed)
	}
	return healthy()
}

func tooManyUnavailable(allowed int32) healthcheck.Result {
	if allowed == 0 {
		return unhealthy(ReasonPodsUnavailable, "Pods are unavailable")
	}
	return unhealthy(ReasonPodsUnavailable, "More than %d Pods are unavailable", allowed)
}

// mayBeUnavailable returns how many Pods may be unavailable now.
func mayBeUnavailable(d *appsv1.DaemonSet, roundUp bool) int32 {
	if d.Status.UpdatedNumberScheduled >= d.Status.DesiredNumberScheduled {
		return 0
	}
	return maxUnavailable(d, roundUp)
}

// takenDown returns how many Pods a rolling update takes down at once. The controller rounds up.
func takenDown(d *appsv1.DaemonSet) int32 { return maxUnavailable(d, true) }

func maxUnavailable(d *appsv1.DaemonSet, roundUp bool) int32 {
	rolling := d.Spec.UpdateStrategy.RollingUpdate
	if d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || rolling == nil {
		return 0
	}
	allowed, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, int(d.Status.DesiredNumberScheduled), roundUp)
	if err != nil {
		return 0
	}
	return int32(allowed)
}
