package admission

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// Condition types on MachineHealthChecks, and their reasons.
const (
	// ConditionRemediationAllowed says whether Sickbay may repair sick Machines, and which of them wait for what.
	ConditionRemediationAllowed = clusterv1.MachineHealthCheckRemediationAllowedCondition
	// ReasonRemediationAllowed: Sickbay may repair sick Machines.
	ReasonRemediationAllowed = clusterv1.MachineHealthCheckRemediationAllowedReason
	// ReasonTooManyUnhealthy: more Machines are unhealthy than triggerIf allows.
	ReasonTooManyUnhealthy = clusterv1.MachineHealthCheckTooManyUnhealthyReason
	// ReasonTooFewUnhealthy: fewer Machines are unhealthy than unhealthyInRange asks for.
	ReasonTooFewUnhealthy = "TooFewUnhealthy"
	// ReasonNoneSick: triggerIf does not allow remediation now, but it holds nothing back, because no
	// Machine is sick. For example, the Machines are starting.
	ReasonNoneSick = "NoneSick"
	// ReasonInvalidConfiguration: Sickbay does not understand a field or an annotation.
	ReasonInvalidConfiguration = "InvalidConfiguration"
	// ReasonKindsNotInstalled: Sickbay's own kinds are missing, so it cannot record repairs. It still gives verdicts.
	ReasonKindsNotInstalled = "KindsNotInstalled"
	// ReasonOnHold: the annotation sickbay.dev/hold-until has put remediation on hold until a set time.
	ReasonOnHold = "OnHold"
	// ReasonDeleting: the Cluster is being deleted, and Sickbay repairs nothing in it any more.
	ReasonDeleting = "ClusterDeleting"
	// ReasonClusterNotFound: the Cluster does not exist, so its machines are unknown.
	ReasonClusterNotFound = "ClusterNotFound"

	// ConditionPaused says whether Sickbay leaves the MachineHealthCheck alone for now. If the
	// MachineHealthCheck is handed over, the condition belongs to Cluster API's controller.
	ConditionPaused = clusterv1.PausedCondition
	// ReasonPaused: the MachineHealthCheck is paused.
	ReasonPaused = clusterv1.PausedReason
	// ReasonNotPaused: the MachineHealthCheck is not paused.
	ReasonNotPaused = clusterv1.NotPausedReason

	// ConditionOverlapping is set only while MachineHealthChecks of other controllers select the same Machines, and manage those alone.
	ConditionOverlapping = "Overlapping"
	// ReasonNotHandedOver: a MachineHealthCheck that is not handed over to this Sickbay selects these Machines, too.
	ReasonNotHandedOver = "NotHandedOver"

	// ConditionSignalsTrusted is there only if sickbay.dev/signals limits how many Nodes may show a condition at once.
	ConditionSignalsTrusted = verdict.TrustConditionType
	// ReasonSignalsTrusted: no condition is on more Nodes than its maxShare.
	ReasonSignalsTrusted = verdict.ReasonSignalsTrusted
	// ReasonSignalSuspected: a condition is on more Nodes than its maxShare, or was and is still on some. Its detector may be wrong, and nothing is
	// repaired for it.
	ReasonSignalSuspected = "SignalSuspected"

	// ConditionDryRun is there only during a dry-run. Its message says what Sickbay would do.
	ConditionDryRun = "DryRun"
	// ReasonDryRun: the annotation asks for a dry-run.
	ReasonDryRun = "DryRun"
	// ReasonObserve: the mode of the plan asks for a dry-run.
	ReasonObserve = "Observe"

	// ConditionTemplateAvailable is there only if the MachineHealthCheck refers to a template.
	ConditionTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateAvailable: the template exists.
	ReasonTemplateAvailable = "RemediationTemplateAvailable"
	// ReasonTemplateNotFound: the template does not exist.
	ReasonTemplateNotFound = clusterv1.MachineExternallyRemediatedRemediationTemplateNotFoundReason
)
