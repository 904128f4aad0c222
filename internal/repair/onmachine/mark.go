package onmachine

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// MarkOf reads the condition OwnerRemediated. Sickbay writes only that it waits; every other state is the owner's.
func MarkOf(machine *clusterv1.Machine) ladder.Mark {
	c := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	if c == nil || c.Status == metav1.ConditionTrue {
		return ladder.Mark{}
	}
	mark := ladder.Mark{State: ladder.MarkDeferred, Message: ownwrites.Note(c.Message)}
	switch c.Reason {
	case clusterv1.MachineOwnerRemediatedWaitingForRemediationReason:
		mark.State = ladder.MarkWaiting
	case clusterv1.MachineSetMachineCannotBeRemediatedReason:
		mark.State = ladder.MarkRefused
	case clusterv1.MachineSetMachineRemediationMachineDeletingReason:
		mark.State = ladder.MarkAnswered
	}
	mark.Ours = ownwrites.Wrote(machine, c.Type, ownwrites.RemediationFieldOwner)
	return mark
}

// markFor returns the mark as the record sees it. If the owner answers after the mark was withdrawn, only the owner's write has
// brought it back, and the mark goes anyway.
func markFor(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Mark {
	mark := MarkOf(machine)
	mark.Ours = mark.Ours || (mark.Stands() && slices.ContainsFunc(record.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		step, _ := ladder.StepNamed(record, a.Step)
		return a.ObjectRef != nil && step.Action == v1alpha1.ActionReplace
	}))
	return mark
}
