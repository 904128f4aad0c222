package admission

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// maxTargets is how many names the API accepts in status.targets.
const maxTargets = 10000

// Status renders the status for a decision. Sickbay removes the fields that it wrote before and that are not in it.
func Status(f Facts, d Decision, now metav1.Time) clusterv1.MachineHealthCheckStatus {
	mhc := f.MachineHealthCheck
	if len(d.Paused) > 0 {
		return pausedStatus(mhc, d, now)
	}
	desired := clusterv1.MachineHealthCheckStatus{
		ObservedGeneration:  mhc.Generation,
		ExpectedMachines:    new(int32(d.Counts.Expected)),
		CurrentHealthy:      new(int32(d.Counts.StoredHealthy)),
		RemediationsAllowed: new(int32(d.RemediationsAllowed())),
		Targets:             targetNames(f.Targets),
	}
	set := func(c metav1.Condition) { setCondition(mhc, &desired, c, now) }
	set(allowedCondition(d))
	if !mhcspec.HandedOver(mhc) {
		set(metav1.Condition{Type: ConditionPaused, Status: metav1.ConditionFalse, Reason: ReasonNotPaused})
	}
	if len(f.Elsewhere) > 0 {
		set(metav1.Condition{Type: ConditionOverlapping, Status: metav1.ConditionTrue, Reason: ReasonNotHandedOver, Message: overlapMessage(f.Elsewhere)})
	}
	if len(f.Shares) > 0 {
		set(trustCondition(f.Shares))
	}
	if d.Config.OnlyReports() {
		set(dryRunCondition(d))
	}
	if mhc.Spec.Remediation.TemplateRef.IsDefined() {
		set(templateCondition(f.Template))
	}
	return desired
}

// kept returns the stored status with only our conditions.
func kept(mhc *clusterv1.MachineHealthCheck) clusterv1.MachineHealthCheckStatus {
	desired := *mhc.Status.DeepCopy()
	desired.Conditions = nil
	for _, c := range mhc.Status.Conditions {
		if Ours(mhc, c.Type) {
			desired.Conditions = append(desired.Conditions, c)
		}
	}
	return desired
}

// ClusterNotFoundStatus changes only the condition that says that nothing is remediated.
func ClusterNotFoundStatus(mhc *clusterv1.MachineHealthCheck, now metav1.Time) clusterv1.MachineHealthCheckStatus {
	desired := kept(mhc)
	desired.RemediationsAllowed = new(int32(0))
	setCondition(mhc, &desired, metav1.Condition{
		Type: ConditionRemediationAllowed, Status: metav1.ConditionFalse, Reason: ReasonClusterNotFound,
		Message: "Nothing is repaired: Cluster " + mhc.Spec.ClusterName + " does not exist",
	}, now)
	return desired
}

// pausedStatus changes only the Paused condition.
func pausedStatus(mhc *clusterv1.MachineHealthCheck, d Decision, now metav1.Time) clusterv1.MachineHealthCheckStatus {
	desired := kept(mhc)
	if !mhcspec.HandedOver(mhc) {
		setCondition(mhc, &desired, metav1.Condition{
			Type: ConditionPaused, Status: metav1.ConditionTrue, Reason: ReasonPaused, Message: strings.Join(d.Paused, ", "),
		}, now)
	}
	return desired
}

// Ours reports whether a condition on mhc is one that Sickbay writes.
func Ours(mhc *clusterv1.MachineHealthCheck, conditionType string) bool {
	switch conditionType {
	case ConditionRemediationAllowed, ConditionOverlapping, ConditionSignalsTrusted, ConditionDryRun, ConditionTemplateAvailable:
		return true
	case ConditionPaused:
		return !mhcspec.HandedOver(mhc)
	}
	return false
}

// Urgent reports whether more than numbers changed in a status: a condition has another status or another reason, or was added or
// removed, or the spec changed.
func Urgent(mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) bool {
	if mhc.Status.ObservedGeneration != desired.ObservedGeneration {
		return true
	}
	kept := 0
	for _, c := range mhc.Status.Conditions {
		if !Ours(mhc, c.Type) {
			continue
		}
		now := meta.FindStatusCondition(desired.Conditions, c.Type)
		if now == nil || now.Status != c.Status || now.Reason != c.Reason {
			return true
		}
		kept++
	}
	return kept != len(desired.Conditions)
}

func allowedCondition(d Decision) metav1.Condition {
	c := metav1.Condition{Type: ConditionRemediationAllowed, Status: metav1.ConditionFalse, Message: d.allowedMessage()}
	switch {
	case d.Stopped.Reason != "":
		c.Reason = d.Stopped.Reason
	case d.Allowed:
		c.Status, c.Reason = metav1.ConditionTrue, ReasonRemediationAllowed
	case d.Counts.Sick == 0:
		c.Reason = ReasonNoneSick
	case d.Counts.Unhealthy() > d.gate.maximum:
		c.Reason = ReasonTooManyUnhealthy
	default:
		c.Reason = ReasonTooFewUnhealthy
	}
	return c
}

func dryRunCondition(d Decision) metav1.Condition {
	reason := ReasonObserve
	if d.Config.DryRun {
		reason = ReasonDryRun
	}
	return metav1.Condition{Type: ConditionDryRun, Status: metav1.ConditionTrue, Reason: reason, Message: d.dryRunMessage()}
}

func templateCondition(template Template) metav1.Condition {
	if template.Missing != "" {
		return metav1.Condition{Type: ConditionTemplateAvailable, Status: metav1.ConditionFalse, Reason: ReasonTemplateNotFound, Message: template.Missing}
	}
	return metav1.Condition{Type: ConditionTemplateAvailable, Status: metav1.ConditionTrue, Reason: ReasonTemplateAvailable}
}

// setCondition adds c to desired. It keeps the transition time of the stored condition if the status is the same.
func setCondition(mhc *clusterv1.MachineHealthCheck, desired *clusterv1.MachineHealthCheckStatus, c metav1.Condition, now metav1.Time) {
	c.ObservedGeneration = mhc.Generation
	c.LastTransitionTime = now
	if stored := meta.FindStatusCondition(mhc.Status.Conditions, c.Type); stored != nil && stored.Status == c.Status {
		c.LastTransitionTime = stored.LastTransitionTime
	}
	meta.SetStatusCondition(&desired.Conditions, c)
}

func targetNames(all []Target) []string {
	var list []string
	for _, target := range all[:min(len(all), maxTargets)] {
		list = append(list, target.Machine.Name)
	}
	return list
}
