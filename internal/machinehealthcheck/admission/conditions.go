package admission

import clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

// Condition types on MachineHealthChecks, and their reasons.
const (
	// ConditionRemediationAllowed says whether sick Machines may be repaired, and who waits for what.
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
	// ReasonKindsNotInstalled: the kinds are missing in which repairs are recorded. Verdicts are given all the same.
	ReasonKindsNotInstalled = "KindsNotInstalled"
	// ReasonOnHold: the annotation sickbay.dev/hold-until holds remediation back until a time.
	ReasonOnHold = "OnHold"
	// ReasonDeleting: the Cluster is being deleted, and nothing in it is repaired any more.
	ReasonDeleting = "ClusterDeleting"
	// ReasonClusterNotFound: the Cluster does not exist, so nobody knows its machines.
	ReasonClusterNotFound = "ClusterNotFound"

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

	// ConditionDryRun is there only while nothing is done for the MachineHealthCheck, and its message says what would be.
	ConditionDryRun = "DryRun"
	// ReasonDryRun: the annotation asks for it.
	ReasonDryRun = "DryRun"
	// ReasonObserve: the mode of the plan asks for it.
	ReasonObserve = "Observe"

	// ConditionTemplateAvailable is there only if a template is referred to.
	ConditionTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateAvailable: it was found.
	ReasonTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateNotFound: it was not.
	ReasonTemplateNotFound = clusterv1.MachineExternallyRemediatedRemediationTemplateNotFoundReason
)
