package admission

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

func TestReferenceHealthCheckConditions(t *testing.T) {
	table := [][]string{{"condition", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Condition", map[string]string{
		"ConditionRemediationAllowed": ConditionRemediationAllowed,
		"ConditionPaused":             ConditionPaused,
		"ConditionOverlapping":        ConditionOverlapping,
		"ConditionSignalsTrusted":     ConditionSignalsTrusted,
		"ConditionDryRun":             ConditionDryRun,
		"ConditionTemplateAvailable":  ConditionTemplateAvailable,
	}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "health check conditions", docs.Table(table...))
}

func TestReferenceHealthCheckReasons(t *testing.T) {
	// The condition that a reason belongs to.
	of := map[string]string{
		ReasonRemediationAllowed: ConditionRemediationAllowed, ReasonTooManyUnhealthy: ConditionRemediationAllowed,
		ReasonTooFewUnhealthy: ConditionRemediationAllowed, ReasonNoneSick: ConditionRemediationAllowed,
		ReasonInvalidConfiguration: ConditionRemediationAllowed, ReasonKindsNotInstalled: ConditionRemediationAllowed,
		ReasonOnHold: ConditionRemediationAllowed, ReasonDeleting: ConditionRemediationAllowed, ReasonClusterNotFound: ConditionRemediationAllowed,
		ReasonPaused: ConditionPaused, ReasonNotPaused: ConditionPaused,
		ReasonSignalsTrusted: ConditionSignalsTrusted, ReasonSignalSuspected: ConditionSignalsTrusted,
		ReasonNotHandedOver: ConditionOverlapping, ReasonDryRun: ConditionDryRun, ReasonObserve: ConditionDryRun,
		ReasonTemplateAvailable: ConditionTemplateAvailable, ReasonTemplateNotFound: ConditionTemplateAvailable,
	}
	table := [][]string{{"condition", "reason", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Reason", map[string]string{
		"ReasonRemediationAllowed":   ReasonRemediationAllowed,
		"ReasonTooManyUnhealthy":     ReasonTooManyUnhealthy,
		"ReasonTooFewUnhealthy":      ReasonTooFewUnhealthy,
		"ReasonNoneSick":             ReasonNoneSick,
		"ReasonInvalidConfiguration": ReasonInvalidConfiguration,
		"ReasonKindsNotInstalled":    ReasonKindsNotInstalled,
		"ReasonOnHold":               ReasonOnHold,
		"ReasonDeleting":             ReasonDeleting,
		"ReasonClusterNotFound":      ReasonClusterNotFound,
		"ReasonPaused":               ReasonPaused,
		"ReasonNotPaused":            ReasonNotPaused,
		"ReasonNotHandedOver":        ReasonNotHandedOver,
		"ReasonSignalsTrusted":       ReasonSignalsTrusted,
		"ReasonSignalSuspected":      ReasonSignalSuspected,
		"ReasonDryRun":               ReasonDryRun,
		"ReasonObserve":              ReasonObserve,
		"ReasonTemplateAvailable":    ReasonTemplateAvailable,
		"ReasonTemplateNotFound":     ReasonTemplateNotFound,
	}) {
		table = append(table, []string{docs.Code(of[c.Value]), docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "health check reasons", docs.Table(table...))
}
