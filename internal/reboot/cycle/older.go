package cycle

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Earlier versions kept in conditions what now has its own fields. Only this file reads it from there.

// whyEnded returns why a cycle has ended.
func whyEnded(s *v1alpha1.RebootRemediationStatus) v1alpha1.Outcome {
	if s.Outcome != "" {
		return s.Outcome
	}
	return v1alpha1.Outcome(reasonOf(*s, v1alpha1.ConditionSucceeded))
}

// adopt suspends a cycle that an earlier version suspended. That version stored the wait only in the condition of the host. If the wait
// ends while Sickbay is being upgraded, nothing else restarts the clock.
func (d *draft) adopt() {
	if d.s.SuspendedSince != nil {
		return
	}
	switch host := reasonOf(d.s, v1alpha1.ConditionHostAvailable); {
	case d.s.Phase == v1alpha1.PoweringOn && (host == v1alpha1.ReasonHeldByOthers || host == v1alpha1.ReasonSuspendedByUser):
		d.suspend()
	case d.s.Phase == v1alpha1.WaitingForNode && host == v1alpha1.ReasonHostServicing:
		d.suspend()
	}
}

// reasonOf returns the reason of a condition; empty if there is none.
func reasonOf(status v1alpha1.RebootRemediationStatus, conditionType string) string {
	if c := meta.FindStatusCondition(status.Conditions, conditionType); c != nil {
		return c.Reason
	}
	return ""
}
