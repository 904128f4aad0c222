package verdict

import (
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/conditions"
)

// ConditionType is the condition that carries the verdict on a Machine.
const ConditionType = clusterv1.MachineHealthCheckSucceededCondition

// Of returns the verdict stored on a Machine; empty if there is none.
func Of(machine *clusterv1.Machine) metav1.Condition {
	return conditions.Of(machine.Status.Conditions, ConditionType)
}

// ConditionStatus returns the status of a condition with a result. The API has no Progressing.
func ConditionStatus(s healthcheck.Status) metav1.ConditionStatus {
	if s == healthcheck.Progressing {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionStatus(s)
}

// Reasons of the verdict. The reason for a condition that matched is made from its type: Ready gives ReadyUnhealthy, and ReadyFlapping if it came and
// went.
const (
	// ReasonSucceeded: the Node exists and nothing matches.
	ReasonSucceeded = "Succeeded"
	// ReasonRemediateAnnotation: somebody asked for remediation by annotation.
	ReasonRemediateAnnotation = "HasRemediateMachineAnnotation"
	// ReasonMachineFailed: its provider, or Cluster API itself, says that the Machine has failed for good (failureReason,
	// failureMessage), or it is in phase Failed, which Cluster API no longer sets.
	ReasonMachineFailed = "MachineFailed"
	// ReasonMachineProvisioningTimedOut: the Machine has been in phase Provisioning for sickbay.dev/provisioning-timeout
	// or longer.
	ReasonMachineProvisioningTimedOut = "MachineProvisioningTimedOut"
	// ReasonHostError: its bare-metal host has had an error for sickbay.dev/host-error-timeout or longer.
	ReasonHostError = "HostError"
	// ReasonNodeStartupTimedOut: no Node came within the startup timeout.
	ReasonNodeStartupTimedOut = "NodeStartupTimedOut"
	// ReasonNodeNotFound: the Node that the Machine had is gone.
	ReasonNodeNotFound = "NodeNotFound"
	// ReasonDeleting: the Machine is being deleted, and its Node is gone already.
	ReasonDeleting = "Deleting"
	// ReasonNodeUnavailable: the workload cluster cannot be read.
	ReasonNodeUnavailable = "NodeUnavailable"
	// ReasonWaitingForProvisioning: the Machine is in phase Provisioning, and still has time.
	ReasonWaitingForProvisioning = "WaitingForProvisioning"
	// ReasonWaitingForNodeRef: there is no Node yet, and still time for it.
	ReasonWaitingForNodeRef = "WaitingForNodeRef"
	// ReasonNodeConditionsNotYet: a Node condition matches, but not yet for its timeout.
	ReasonNodeConditionsNotYet = "NodeConditionsNotYetUnhealthy"
	// ReasonMachineConditionsNotYet: the same for a Machine condition.
	ReasonMachineConditionsNotYet = "MachineConditionsNotYetUnhealthy"
	// ReasonDetectorSilent: a Node condition matches, but its last heartbeat is too old.
	ReasonDetectorSilent = "DetectorSilent"
	// ReasonDetectorLatched: a Node condition matches, but since about the last boot, and has not changed since.
	ReasonDetectorLatched = "DetectorLatched"
	// ReasonPaused: one of several MachineHealthChecks that select the Machine is paused, and the others find nothing.
	ReasonPaused = "Paused"
	// ReasonWaitingForInfrastructure: a finding is held back because the Cluster's infrastructure is not ready.
	ReasonWaitingForInfrastructure = "WaitingForClusterInfrastructure"
	// ReasonWaitingForControlPlane: a finding is held back because the Cluster's control plane is not initialized.
	ReasonWaitingForControlPlane = "WaitingForControlPlaneInitialized"
)

// reasonFor makes a condition reason from a condition type and a suffix. A type may contain a domain, dots and dashes, which the API
// refuses in a reason, so example.com/disk-ok becomes DiskOkUnhealthy.
func reasonFor(conditionType, suffix string) string {
	name := conditionType[strings.LastIndex(conditionType, "/")+1:]
	var reason strings.Builder
	upper := true
	for _, r := range name {
		if r > unicode.MaxASCII || (!unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			upper = true
			continue
		}
		if reason.Len() == 0 && unicode.IsDigit(r) {
			reason.WriteString("Condition")
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		reason.WriteRune(r)
	}
	return reason.String() + suffix
}
