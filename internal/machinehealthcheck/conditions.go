package machinehealthcheck

import clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

// FieldOwner owns what we write on MachineHealthChecks.
const FieldOwner = "sickbay-machinehealthcheck"

// Condition types on MachineHealthChecks, and their reasons.
const (
	// ConditionRemediationAllowed says whether sick Machines may get a remedy.
	ConditionRemediationAllowed = clusterv1.MachineHealthCheckRemediationAllowedCondition
	// ReasonRemediationAllowed: they may.
	ReasonRemediationAllowed = clusterv1.MachineHealthCheckRemediationAllowedReason
	// ReasonTooManyUnhealthy: more Machines are unhealthy than triggerIf allows.
	ReasonTooManyUnhealthy = clusterv1.MachineHealthCheckTooManyUnhealthyReason
	// ReasonTooFewUnhealthy: fewer Machines are unhealthy than unhealthyInRange asks for.
	ReasonTooFewUnhealthy = "TooFewUnhealthy"
	// ReasonNoneSick: triggerIf does not allow remediation as things are, but no
	// Machine is sick either, so nothing is held back: they are starting, say.
	ReasonNoneSick = "NoneSick"
	// ReasonInvalidConfiguration: a field or an annotation cannot be understood.
	ReasonInvalidConfiguration = "InvalidConfiguration"

	// ConditionPaused says whether the MachineHealthCheck is left alone for now. On
	// one that is handed over it belongs to Cluster API's controller.
	ConditionPaused = clusterv1.PausedCondition
	// ReasonPaused: it is.
	ReasonPaused = clusterv1.PausedReason
	// ReasonNotPaused: it is not.
	ReasonNotPaused = clusterv1.NotPausedReason

	// ConditionOverlapping is there only while other MachineHealthChecks select
	// the same Machines and come first.
	ConditionOverlapping = "Overlapping"
	// ReasonSelectedByOlder: an older MachineHealthCheck selects them too.
	ReasonSelectedByOlder = "SelectedByOlder"

	// ConditionDryRun is there only while the MachineHealthCheck is in dry-run. Its
	// message says what would be done.
	ConditionDryRun = "DryRun"
	// ReasonDryRun: the annotation asks for it.
	ReasonDryRun = "DryRun"

	// ConditionTemplateAvailable is there only if a template is referred to.
	ConditionTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateAvailable: it was found.
	ReasonTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateNotFound: it was not.
	ReasonTemplateNotFound = clusterv1.MachineExternallyRemediatedRemediationTemplateNotFoundReason
)
