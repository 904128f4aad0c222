package v1alpha1

// Types of the conditions of a MachineRemediation, beside ConditionSucceeded, and of a MachineRemediationTemplate.
const (
	// ConditionProgressing is True while the remediation goes on by itself, and False while a person must decide or
	// once it has ended. Its message says what happens next and who the repair is waiting for.
	ConditionProgressing = "Progressing"
	// ConditionAccepted says whether the plan of a MachineRemediationTemplate can be used.
	ConditionAccepted = "Accepted"
)

// Reasons of Progressing while Sickbay does nothing to the machine.
const (
	// ReasonApprovalRequired: a person must approve the next attempt.
	ReasonApprovalRequired = "ApprovalRequired"
	// ReasonGateClosed: the gate, triggerIf of the MachineHealthCheck, does not allow remediation, the configuration is invalid, the plan is missing,
	// or the signal is suspected.
	ReasonGateClosed = "GateClosed"
	// ReasonPaused: the MachineHealthCheck, its Cluster or the Machine is paused, the Cluster is being deleted, or no MachineHealthCheck may repair
	// the machine now.
	ReasonPaused = "Paused"
	// ReasonOnHold: somebody holds remediation back until a time (sickbay.dev/hold-until).
	ReasonOnHold = "OnHold"
	// ReasonPaced: earlier repairs in the same domain have to prove themselves first.
	ReasonPaced = "Paced"
	// ReasonNoSlot: every slot is in use; the repair waits until one is free.
	ReasonNoSlot = "NoSlot"
	// ReasonBackoff: the last attempt could not be carried out.
	ReasonBackoff = "Backoff"
	// ReasonRefused: the owner of the machine has refused to replace it, or has not begun to for longer than is usual.
	ReasonRefused = "Refused"
	// ReasonRemediationHeldByOthers: another system works on the machine.
	ReasonRemediationHeldByOthers = "HeldByOthers"
	// ReasonUndecided: Sickbay cannot tell at the moment whether the machine is sick, so it does nothing.
	ReasonUndecided = "Undecided"
)

// Reasons of Progressing in the other phases.
const (
	// ReasonActing: an attempt is running.
	ReasonActing = "Acting"
	// ReasonWithdrawing: Sickbay is withdrawing the request of an attempt.
	ReasonWithdrawing = "Withdrawing"
	// ReasonProbation: the machine is healthy and has to stay so for a while.
	ReasonProbation = "Probation"
	// ReasonDeletionOverdue: the machine has been in deletion for more than an hour.
	ReasonDeletionOverdue = "DeletionOverdue"
	// ReasonWaitingForReplacement: the machine is gone, and its successor has to prove itself.
	ReasonWaitingForReplacement = "WaitingForReplacement"
	// ReasonNoStepLeft: all steps were tried, and a person decides.
	ReasonNoStepLeft = "NoStepLeft"
	// ReasonHoldStep: the plan leaves the machine to a person.
	ReasonHoldStep = "HoldStep"
	// ReasonNotBegun: nobody has begun for a day what Sickbay asked for, and a person decides.
	ReasonNotBegun = "NotBegun"
	// ReasonUnreadable: Sickbay cannot read what it asked for, and has given up withdrawing it.
	ReasonUnreadable = "Unreadable"
	// ReasonDenied: a person has denied the attempt.
	ReasonDenied = "Denied"
	// ReasonCancelled: a person has cancelled the remediation, or does not ask for it any more.
	ReasonCancelled = "Cancelled"
	// ReasonPlanProblem: Sickbay cannot carry out the plan as it is written.
	ReasonPlanProblem = "PlanProblem"
	// ReasonEnded: it is over; Succeeded says how.
	ReasonEnded = "Ended"
)

// Reasons of Succeeded on a MachineRemediation, beside ReasonRecovered and ReasonCancelled.
const (
	// ReasonRecoveredUnaided: the machine is healthy, and nothing was done.
	ReasonRecoveredUnaided = "RecoveredUnaided"
	// ReasonReplaced: the machine is gone, as this remediation asked. With a plan, the machine that took its place has proven itself, too, if its
	// owner makes one.
	ReasonReplaced = "Replaced"
	// ReasonReplacementFailed: the machine that took its place fell sick, too.
	ReasonReplacementFailed = "ReplacementFailed"
	// ReasonMachineDeleted: somebody else deleted the machine.
	ReasonMachineDeleted = "MachineDeleted"
	// ReasonUnproven: Sickbay could not prove that the repair helped.
	ReasonUnproven = "Unproven"
	// ReasonDone: what somebody asked for is done.
	ReasonDone = "Done"
	// ReasonNotDone: what somebody asked for could not be done.
	ReasonNotDone = "NotDone"
	// ReasonSuperseded: a person asked for something else before anything had begun.
	ReasonSuperseded = "Superseded"
	// ReasonHandedOver: before anything had begun, another MachineHealthCheck came to lead, or only others that may not repair found the machine sick.
	ReasonHandedOver = "HandedOver"
	// ReasonHandedBack: Sickbay does not manage the machine any more.
	ReasonHandedBack = "HandedBack"
)
