package remediation

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// machineFacts reads the facts about the Machine for the ladder.
func (r *Reconciler) machineFacts(ctx context.Context, v *view) error {
	m := ownFacts(v.machine, v.mhc, v.facts.Record, r.Clock.Now())
	_, v.facts.RemediateAsked = v.machine.Annotations[clusterv1.RemediateMachineAnnotation]
	if m.Mark.State == ladder.MarkWaiting && r.lateAnswer(v.facts.Record) {
		machines, err := mhcspec.MachinesOf(ctx, r.Client, mhcspec.ClusterOf(v.machine))
		if err != nil {
			return err
		}
		m.OwnerActive = active(machines, m.Owner)
	}
	v.facts.Machine = m
	return nil
}

// ownFacts returns the facts that the Machine itself has.
func ownFacts(machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, record *v1alpha1.MachineRemediation, now time.Time) ladder.Machine {
	m := ladder.Machine{Health: storedHealth(machine), Owner: ownerOf(machine), Mark: markFor(machine, record)}
	if !machine.DeletionTimestamp.IsZero() {
		m.DeletingSince = machine.DeletionTimestamp.Time
	}
	m.VerdictStands = verdictGoes(machine, mhc)
	m.RebootOperation, m.RebootStands = powerCycle(machine, record, now)
	return m
}

// storedHealth returns the verdict on a Machine.
func storedHealth(machine *clusterv1.Machine) ladder.Health {
	stored := meta.FindStatusCondition(machine.Status.Conditions, verdict.ConditionType)
	switch {
	case stored == nil:
		return ladder.Undecided
	case stored.Status == metav1.ConditionTrue:
		return ladder.Healthy
	case stored.Status == metav1.ConditionFalse:
		return ladder.Sick
	}
	return ladder.Undecided
}

// verdictGoes reports whether a machine that Sickbay no longer manages still has our verdict, which machinehealth will remove. It
// ignores the verdicts of a MachineHealthCheck that was handed back to others.
func verdictGoes(machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck) bool {
	return (mhc == nil || mhcspec.RemediationSkipped(machine)) && ownwrites.Wrote(machine, verdict.ConditionType, machinehealth.FieldOwner)
}

// markOf reads the condition OwnerRemediated. Sickbay writes only that it waits; every other state is the owner's.
func markOf(machine *clusterv1.Machine) ladder.Mark {
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
	for _, owner := range []string{remedy.FieldOwner, ownwrites.OwnerRemediatedFieldOwner} {
		mark.Ours = mark.Ours || ownwrites.Wrote(machine, c.Type, owner)
	}
	return mark
}

// markFor returns the mark as the record sees it. If the owner answers after the mark was withdrawn, only the owner's write has
// brought it back, and the mark goes anyway.
func markFor(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Mark {
	mark := markOf(machine)
	mark.Ours = mark.Ours || takesOver(machine, record) || (mark.Stands() && slices.ContainsFunc(record.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.ObjectRef != nil && actionOf(record, &a) == v1alpha1.ActionReplace
	}))
	return mark
}

// takesOver reports whether a record takes over a mark that a power cycle without a record set. A plan that never replaces leaves
// the mark to the person who asked for that cycle until the machine is healthy, when nobody needs another machine.
func takesOver(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) bool {
	if !ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, ownwrites.RebootMarkFieldOwner) {
		return false
	}
	replaces := func(step v1alpha1.RemediationStep) bool { return step.Action == v1alpha1.ActionReplace }
	return storedHealth(machine) == ladder.Healthy || slices.ContainsFunc(record.Spec.Steps, replaces)
}

// powerCycle reads which power cycle was requested by annotation, and whether the annotation is still there. A cycle from before
// the record is taken over, even if the previous version asked for it and it was just carried out.
func powerCycle(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation, now time.Time) (operation string, stands bool) {
	value, asked := machine.Annotations[rebootannotation.Request]
	operation = machine.Annotations[rebootannotation.Operation]
	switch {
	case rebootLeftOver(machine, record.UID):
		return ladder.OperationID(record, max(1, record.Status.Attempt)), true
	case !asked && justAsked(machine, record, now):
		return ladder.OperationID(record, 1), false
	case !strings.HasPrefix(operation, string(record.UID)+"/"):
		return "", false
	}
	return operation, asked && value == operation
}

// rebootLeftOver reports whether a health check asked for the current power cycle, but not for this record: the previous version
// did, or an earlier record that is gone. A machine has one open record at a time.
func rebootLeftOver(machine *clusterv1.Machine, record types.UID) bool {
	return rebootannotation.ByHealthCheck(machine) && !strings.HasPrefix(rebootannotation.OperationOf(machine), string(record)+"/")
}

// justAsked reports whether the previous version asked for a power cycle so recently that the step's timeout has not passed.
func justAsked(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation, now time.Time) bool {
	step, ok := ladder.NextStep(record)
	if !ok || len(record.Status.Attempts) > 0 || step.Action != v1alpha1.ActionReboot {
		return false
	}
	return now.Before(rebootannotation.DueAt(machine, step.Timeout()))
}

// lateAnswer reports whether the owner has left its mark unanswered for too long.
func (r *Reconciler) lateAnswer(record *v1alpha1.MachineRemediation) bool {
	attempt := ladder.AtWork(record)
	return attempt != nil && attempt.StartTime != nil && !r.Clock.Now().Before(attempt.StartTime.Add(ladder.AnswerTime))
}

// active reports whether an owner deletes one of its machines, or has answered a mark.
func active(machines []*clusterv1.Machine, owner *v1alpha1.RemediationObjectReference) bool {
	for i := range machines {
		controller := metav1.GetControllerOfNoCopy(machines[i])
		if owner == nil || controller == nil || controller.UID != owner.UID {
			continue
		}
		if mark := markOf(machines[i]); !machines[i].DeletionTimestamp.IsZero() || (mark.Stands() && mark.State != ladder.MarkWaiting) {
			return true
		}
	}
	return false
}

// resumedAt is when the last pause or hold ended, on the MachineHealthCheck or one of the other objects.
func (r *Reconciler) resumedAt(mhc *clusterv1.MachineHealthCheck, others ...client.Object) time.Time {
	held := mhcspec.HoldEnded(r.Clock.Now(), append(others, mhc)...)
	at, err := mhcspec.ResumedAt(mhc)
	if err != nil || held.After(at) {
		return held
	}
	return at
}
