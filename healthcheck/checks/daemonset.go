package checks

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// DaemonSet asks whether the Pods of a DaemonSet run where they should, by the rule of
// Gardener.
//
// It is False if fewer are scheduled than desired (ReasonNotScheduled), if some run
// where they should not (ReasonMisscheduled), or if some are unavailable
// (ReasonPodsUnavailable): none may be, but during a rolling update as many as
// maxUnavailable, rounded down. An older generation is Progressing (ReasonNotObserved).
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
	if allowed := mayBeUnavailable(d); status.NumberUnavailable > allowed {
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

// mayBeUnavailable is how many Pods may be unavailable now.
func mayBeUnavailable(d *appsv1.DaemonSet) int32 {
	rolling := d.Spec.UpdateStrategy.RollingUpdate
	if d.Status.UpdatedNumberScheduled >= d.Status.DesiredNumberScheduled ||
		d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || rolling == nil {
		return 0
	}
	allowed, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, int(d.Status.DesiredNumberScheduled), false)
	if err != nil {
		return 0
	}
	return int32(allowed)
}

// DaemonSetRolledOut asks for what DaemonSet asks, and that nothing rolls out.
//
// It is Progressing (ReasonRollingOut, RolloutWithin for each generation) while fewer
// Pods are of the newest revision than desired, by the rule of Gardener. With the
// strategy OnDelete nothing rolls out by itself, so that is not asked for.
//
// One that is just created is no alarm: Pods may be missing or unavailable
// (ReasonNotScheduled, ReasonPodsUnavailable) for RolloutWithin after its creation. Its
// status does not tell whether they have ever been there.
func DaemonSetRolledOut(d *appsv1.DaemonSet) healthcheck.Result {
	return then(starting(RolloutWithin, d, DaemonSet(d), ReasonNotScheduled, ReasonPodsUnavailable), func() healthcheck.Result {
		updated, want := d.Status.UpdatedNumberScheduled, d.Status.DesiredNumberScheduled
		if d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType || updated >= want {
			return healthy()
		}
		return rollingOut(number(d.Generation), "Fewer than %d Pods are updated", want)
	})
}
