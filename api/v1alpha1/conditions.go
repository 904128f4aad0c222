package v1alpha1

// Types of the conditions of a RebootRemediation.
const (
	// ConditionSucceeded is Unknown while the cycle goes on, and says what it waits for.
	ConditionSucceeded = "Succeeded"
	// ConditionHostAvailable says whether the host can be worked with.
	ConditionHostAvailable = "HostAvailable"
	// ConditionNodeIsolated says whether the Node was taken out of service.
	ConditionNodeIsolated = "NodeIsolated"
	// ConditionNodeRestored says whether what the Node had was put back.
	ConditionNodeRestored = "NodeRestored"
)

// Reasons of HostAvailable.
const (
	// ReasonHostAvailable: it can.
	ReasonHostAvailable = "HostAvailable"
	// ReasonHostNotFound: the Machine has no host, or it is gone.
	ReasonHostNotFound = "HostNotFound"
	// ReasonHostNotOurs: the host is used by somebody else.
	ReasonHostNotOurs = "HostNotOurs"
	// ReasonHostDeleting: the host is being deleted.
	ReasonHostDeleting = "HostDeleting"
	// ReasonHostPaused: the host is paused, so nothing that it says is current.
	ReasonHostPaused = "HostPaused"
	// ReasonHostDetached: the host is detached from its operator.
	ReasonHostDetached = "HostDetached"
	// ReasonHostNotProvisioned: the host does not run a machine.
	ReasonHostNotProvisioned = "HostNotProvisioned"
	// ReasonHostServicing: the host's firmware is being worked on.
	ReasonHostServicing = "HostServicing"
	// ReasonPowerManagementError: the host cannot be switched, or its power state cannot be told.
	ReasonPowerManagementError = "PowerManagementError"
	// ReasonNotFenceable: the host cannot be switched off at all (spec.disablePowerOff).
	ReasonNotFenceable = "NotFenceable"
	// ReasonSuspendedByUser: somebody wants the host off (spec.online: false).
	ReasonSuspendedByUser = "SuspendedByUser"
	// ReasonHeldByOthers: the host may not come on, since somebody else keeps it off.
	ReasonHeldByOthers = "HeldByOthers"
)

// Reasons of NodeIsolated.
const (
	// ReasonNodeDeleted: the Node was deleted.
	ReasonNodeDeleted = "NodeDeleted"
	// ReasonNodeTainted: the Node was tainted, its Pods are gone and its volumes are detached.
	ReasonNodeTainted = "NodeTainted"
	// ReasonNoNode: there was no Node.
	ReasonNoNode = "NoNode"
	// ReasonNodeReplaced: the Node of that name is another one, and was left alone.
	ReasonNodeReplaced = "NodeReplaced"
	// ReasonNodeUnreadable: the workload cluster could not be read in time.
	ReasonNodeUnreadable = "NodeUnreadable"
	// ReasonTaintUnsupported: the workload cluster is older than 1.28.
	ReasonTaintUnsupported = "TaintUnsupported"
	// ReasonIsolationTimedOut: the Node did not go in time, or Pods or volumes were still on it.
	ReasonIsolationTimedOut = "IsolationTimedOut"
	// ReasonNotAsked: nobody has asked for that step.
	ReasonNotAsked = "NotAsked"
)

// Reasons of NodeRestored.
const (
	// ReasonNodeRestored: it was.
	ReasonNodeRestored = "NodeRestored"
	// ReasonRestoreTimedOut: the Node is back, but what it had could not be put back in time.
	ReasonRestoreTimedOut = "RestoreTimedOut"
)

// Reasons of Succeeded, beside the phases and ReasonRestoreTimedOut.
const (
	// ReasonThrottled: others are being cycled.
	ReasonThrottled = "Throttled"
	// ReasonNotStored: the MachineRemediation that made the RebootRemediation has not stored that yet, so no attempt begins.
	ReasonNotStored = "NotStored"
	// ReasonUnderPause: the Machine, its MachineHealthCheck or its Cluster is paused, on hold or excepted, or the Cluster is being
	// deleted, so no attempt begins.
	ReasonUnderPause = "UnderPause"
	// ReasonRecovered: the machine has recovered by itself.
	ReasonRecovered = "Recovered"
	// ReasonWithdrawn: the request was deleted, or its annotation removed.
	ReasonWithdrawn = "Withdrawn"
	// ReasonMachineGone: the Machine is gone or on its way out.
	ReasonMachineGone = "MachineGone"
	// ReasonHostUnavailable: the host could not be worked with; HostAvailable says why.
	ReasonHostUnavailable = "HostUnavailable"
	// ReasonPowerOffTimedOut: the host could not be proven off in time.
	ReasonPowerOffTimedOut = "PowerOffTimedOut"
	// ReasonPowerOnTimedOut: the host did not come on in time.
	ReasonPowerOnTimedOut = "PowerOnTimedOut"
	// ReasonNodeTimedOut: the Node did not come back in time, or was not Ready.
	ReasonNodeTimedOut = "NodeTimedOut"
	// ReasonMachineUnhealthy: the Node is back and Ready, but the machine is still called sick.
	ReasonMachineUnhealthy = "MachineUnhealthy"
)
