package reboot

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Versions before have kept in conditions what has fields of its own since. This file reads it from there, and nothing else does.

// whyEnded is why a cycle has ended.
func whyEnded(s *v1alpha1.RebootRemediationStatus) string {
	if s.Outcome != "" {
		return s.Outcome
	}
	return reasonOf(*s, v1alpha1.ConditionSucceeded)
}

// reasonOf returns the reason of a condition; empty if there is none.
func reasonOf(status v1alpha1.RebootRemediationStatus, conditionType string) string {
	if c := meta.FindStatusCondition(status.Conditions, conditionType); c != nil {
		return c.Reason
	}
	return ""
}
