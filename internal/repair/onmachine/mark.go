package onmachine

import (
	"slices"
	"time"

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

// Waiting returns the condition by which Sickbay asks the owner of a Machine to remediate it.
func Waiting(machine *clusterv1.Machine, now time.Time) metav1.Condition {
	return metav1.Condition{
		Type:               clusterv1.MachineOwnerRemediatedCondition,
		Status:             metav1.ConditionFalse,
		Reason:             clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
		Message:            "Waiting for remediation",
		ObservedGeneration: machine.Generation,
		LastTransitionTime: metav1.NewTime(now.Truncate(time.Second)),
	}
}

// OccupiesOwner reports whether the owner of a Machine is at work on it: it deletes or provisions it, or has answered its mark.
func OccupiesOwner(machine *clusterv1.Machine) bool {
	mark := MarkOf(machine)
	return !machine.DeletionTimestamp.IsZero() || !machine.Status.NodeRef.IsDefined() || (mark.Stands() && mark.State != ladder.MarkWaiting)
}

// markFor returns the mark as the record sees it. If the owner answers after the mark was withdrawn, only the owner's write has
// brought it back, and the mark goes anyway.
func markFor(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Mark {
	mark := MarkOf(machine)
	mark.Ours = mark.Ours || (mark.Stands() && slices.ContainsFunc(record.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		step, _ := ladder.StepNamed(record, a.Step)
		return a.ObjectRef != nil && step.Marks()
	}))
	return mark
}
