package remediation

import (
	"context"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remediation/onmachine"
)

// machineFacts reads the facts about the Machine for the ladder.
func (r *Reconciler) machineFacts(ctx context.Context, v *view) error {
	m := onmachine.Machine(v.machine, v.mhc, v.facts.Record)
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

// lateAnswer reports whether the owner has left its mark unanswered for too long.
func (r *Reconciler) lateAnswer(record *v1alpha1.MachineRemediation) bool {
	attempt := ladder.AtWork(record)
	return attempt != nil && attempt.StartTime != nil && !r.Clock.Now().Before(attempt.StartTime.Add(ladder.AnswerTime))
}

// active reports whether an owner deletes one of its machines, or has answered a mark.
func active(machines []*clusterv1.Machine, owner *v1alpha1.RemediationObjectReference) bool {
	for i := range machines {
		if owner == nil || !controlledBy(owner.UID, machines[i]) {
			continue
		}
		if mark := onmachine.MarkOf(machines[i]); !machines[i].DeletionTimestamp.IsZero() || (mark.Stands() && mark.State != ladder.MarkWaiting) {
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
