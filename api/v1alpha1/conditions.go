package v1alpha1

// Types of the conditions of a RebootRemediation.
const (
	// ConditionSucceeded is Unknown while the cycle goes on, and says what the cycle is waiting for.
	ConditionSucceeded = "Succeeded"
	// ConditionHostAvailable says whether Sickbay can work with the host.
	ConditionHostAvailable = "HostAvailable"
	// ConditionNodeIsolated says whether Sickbay has taken the Node out of service.
	ConditionNodeIsolated = "NodeIsolated"
	// ConditionNodeRestored says whether the Node has got back what it had.
	ConditionNodeRestored = "NodeRestored"
)

// Reasons of HostAvailable.
const (
	// ReasonHostAvailable: Sickbay can work with the host.
	ReasonHostAvailable = "HostAvailable"
	// ReasonHostNotFound: the Machine has no host, or it is gone.
	ReasonHostNotFound = "HostNotFound"
	// ReasonHostNotOurs: somebody else uses the host.
	ReasonHostNotOurs = "HostNotOurs"
	// ReasonHostDeleting: the host is being deleted.
	ReasonHostDeleting = "HostDeleting"
	// ReasonHostPaused: the host is paused, so its status may be out of date.
	ReasonHostPaused = "HostPaused"
	// ReasonHostDetached: the host is detached from its operator.
	ReasonHostDetached = "HostDetached"
	// ReasonHostNotProvisioned: the host does not run a machine.
	ReasonHostNotProvisioned = "HostNotProvisioned"
	// ReasonHostServicing: the firmware of the host is being updated.
	ReasonHostServicing = "HostServicing"
	// ReasonPowerManagementError: the operator cannot switch the host on or off, or does not know whether it is on.
	ReasonPowerManagementError = "PowerManagementError"
	// ReasonNotFenceable: the host cannot be switched off at all (spec.disablePowerOff).
	ReasonNotFenceable = "NotFenceable"
	// ReasonSuspendedByUser: somebody wants the host off (spec.online: false).
	ReasonSuspendedByUser = "SuspendedByUser"
	// ReasonHeldByOthers: the host may not come on, because somebody else keeps it off.
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
	// ReasonNodeReplaced: the Node of that name is another one, so Sickbay left it alone.
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
	// ReasonNodeRestored: the Node has got back what it had.
	ReasonNodeRestored = "NodeRestored"
	// ReasonRestoreTimedOut: the Node is back, but Sickbay could not restore in time what it had.
	ReasonRestoreTimedOut = "RestoreTimedOut"
)

// Reasons of Succeeded, beside the phases and ReasonRestoreTimedOut.
const (
	// ReasonKindsNotInstalled: the kind MachineRemediation is not installed, or Sickbay may not make it, so nothing is done.
	ReasonKindsNotInstalled = "KindsNotInstalled"
	// ReasonThrottled: other hosts are being cycled.
	ReasonThrottled = "Throttled"
	// ReasonNotStored: the MachineRemediation that made the RebootRemediation has not stored that yet, so it does not begin.
	ReasonNotStored = "NotStored"
	// ReasonRecovered: the machine is healthy again. Only what asks for a MachineRemediation gets it, and the MachineRemediation itself.
	ReasonRecovered = "Recovered"
	// ReasonWithdrawn: the RebootRemediation was deleted.
	ReasonWithdrawn = "Withdrawn"
	// ReasonMachineGone: the Machine is gone or on its way out.
	ReasonMachineGone = "MachineGone"
	// ReasonHostUnavailable: Sickbay could not work with the host, or had to leave it alone; HostAvailable and the message say why.
	ReasonHostUnavailable = "HostUnavailable"
	// ReasonPowerOffTimedOut: the host could not be proven off in time.
	ReasonPowerOffTimedOut = "PowerOffTimedOut"
	// ReasonPowerOnTimedOut: the host did not come on in time.
	ReasonPowerOnTimedOut = "PowerOnTimedOut"
	// ReasonNodeTimedOut: the Node did not come back in time, or was not Ready.
	ReasonNodeTimedOut = "NodeTimedOut"
)
