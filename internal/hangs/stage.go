package hangs

import (
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Stage is how far the deletion of a Machine is.
type Stage string

// The stages of a deletion, in the order of Cluster API.
const (
	// Silent: nobody has said anything about it.
	Silent Stage = "Silent"
	// Paused: Cluster API does nothing, because the Machine or its Cluster is paused.
	Paused Stage = "Paused"
	// Failing: Cluster API refers to its log.
	Failing Stage = "Failing"
	// Begun: Cluster API has begun, and says no more.
	Begun Stage = "Begun"
	// PreDrainHook: somebody's annotation keeps its Node from being drained.
	PreDrainHook Stage = "PreDrainHook"
	// Draining: its Node is being drained.
	Draining Stage = "Draining"
	// Detaching: volumes are attached to its Node.
	Detaching Stage = "Detaching"
	// PreTerminateHook: somebody's annotation keeps its infrastructure.
	PreTerminateHook Stage = "PreTerminateHook"
	// Infrastructure: its infrastructure is being deleted.
	Infrastructure Stage = "Infrastructure"
	// Bootstrap: its bootstrap config is being deleted.
	Bootstrap Stage = "Bootstrap"
	// DeletingNode: its Node cannot be deleted.
	DeletingNode Stage = "DeletingNode"
	// Completed: Cluster API has done its part.
	Completed Stage = "Completed"
	// Finalizing: Cluster API has done its part, and finalizers of others are left.
	Finalizing Stage = "Finalizing"
)

// reasons are the stages by the reason of the condition Deleting.
var reasons = map[string]Stage{
	clusterv1.MachineDeletingReason:                                 Begun,
	clusterv1.MachineDeletingInternalErrorReason:                    Failing,
	clusterv1.MachineDeletingWaitingForPreDrainHookReason:           PreDrainHook,
	clusterv1.MachineDeletingDrainingNodeReason:                     Draining,
	clusterv1.MachineDeletingWaitingForVolumeDetachReason:           Detaching,
	clusterv1.MachineDeletingWaitingForPreTerminateHookReason:       PreTerminateHook,
	clusterv1.MachineDeletingWaitingForInfrastructureDeletionReason: Infrastructure,
	clusterv1.MachineDeletingWaitingForBootstrapDeletionReason:      Bootstrap,
	clusterv1.MachineDeletingDeletionCompletedReason:                Completed,
	clusterv1.MachineDeletingDeletingNodeReason:                     DeletingNode,
}

type olderCondition struct {
	was   string
	stage Stage
}

// older are the conditions from before v1beta2 that a deletion passes, in its order, by their stages.
var older = []olderCondition{
	{string(clusterv1.PreDrainDeleteHookSucceededV1Beta1Condition), PreDrainHook},
	{string(clusterv1.DrainingSucceededV1Beta1Condition), Draining},
	{string(clusterv1.VolumeDetachSucceededV1Beta1Condition), Detaching},
	{string(clusterv1.PreTerminateDeleteHookSucceededV1Beta1Condition), PreTerminateHook},
	{string(clusterv1.InfrastructureReadyV1Beta1Condition), Infrastructure},
	{string(clusterv1.BootstrapReadyV1Beta1Condition), Bootstrap},
	{string(clusterv1.MachineNodeHealthyV1Beta1Condition), DeletingNode},
}

// saidStage returns the stage by the condition Deleting, or else by the older ones.
func saidStage(machine *clusterv1.Machine) (Stage, Says) {
	says, found := condition(machine, clusterv1.MachineDeletingCondition)
	if !found || says.open() {
		return olderStage(machine)
	}
	stage, known := reasons[says.Reason]
	if !known {
		stage = Begun
	}
	for _, one := range older {
		if before, had := deprecated(machine, one.was); one.stage == stage && had && before.open() && says.empty() && !before.empty() {
			// The error that the condition leaves to the log.
			says.Text = before.Text
		}
	}
	return stage, says
}

// olderStage returns the first stage that the older conditions have not passed. Those of the start say something about the deletion only if they say
// that they are about one.
func olderStage(machine *clusterv1.Machine) (Stage, Says) {
	for _, one := range older {
		says, found := deprecated(machine, one.was)
		if found && says.open() && (!slices.Contains(ofTheStart, one.stage) || deletes(says.Reason)) {
			return one.stage, says
		}
	}
	return Silent, Says{}
}

var ofTheStart = []Stage{Infrastructure, Bootstrap, DeletingNode}

func deletes(reason string) bool {
	return reason == clusterv1.DeletingV1Beta1Reason || reason == clusterv1.DeletionFailedV1Beta1Reason
}
