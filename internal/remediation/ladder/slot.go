package ladder

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Ended reports whether a record is over.
func Ended(r *v1alpha1.MachineRemediation) bool { return r.Status.CompletionTime != nil }

// HasSlot reports whether a record counts as in flight: more slots were granted than given back.
func HasSlot(r *v1alpha1.MachineRemediation) bool {
	return !Ended(r) && r.Spec.Grant > r.Status.ReleasedGrant
}

// waiting are the reasons that a record gives while it may lack nothing but a slot.
var waiting = []string{
	"", v1alpha1.ReasonNoSlot, v1alpha1.ReasonPaced, v1alpha1.ReasonGateClosed, v1alpha1.ReasonBackoff, v1alpha1.ReasonRefused,
	v1alpha1.ReasonApprovalRequired,
}

// WantsSlot reports whether a record waits for a slot and for nothing else: its next step acts, approval is given, and
// the time of its back-off has passed. If only that time is missing, at is when it has.
func WantsSlot(r *v1alpha1.MachineRemediation, now time.Time) (wants bool, at time.Time) {
	if Ended(r) || HasSlot(r) || !r.DeletionTimestamp.IsZero() || !waitsForNext(&r.Status) {
		return false, time.Time{}
	}
	step, ok := NextStep(r)
	if !ok || !acts(step.Action) || !mayAct(r, step) {
		return false, time.Time{}
	}
	if next := r.Status.NextTransitionTime; next != nil && now.Before(next.Time) {
		return false, next.Time
	}
	return true, time.Time{}
}

// waitsForNext reports whether the next attempt may begin. A record that is in probation, or says that it waits for
// something else, would only give the slot back.
func waitsForNext(s *v1alpha1.MachineRemediationStatus) bool {
	return atWork(s) == nil && proving(s) == nil && s.RecoveryTime == nil && slices.Contains(waiting, progressing(s).Reason)
}

// mayAct reports whether approval is given, or the record says that a slot is all it lacks.
func mayAct(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	return approved(r, step) || progressing(&r.Status).Reason == v1alpha1.ReasonNoSlot
}

// Fruitless is how many grants of a record have led to no act.
func Fruitless(r *v1alpha1.MachineRemediation) int {
	made := int32(0)
	if len(r.Status.Attempts) == maxAttempts {
		// Those that were forgotten have acted.
		made = r.Status.Attempts[0].Number - 1
	}
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].ObjectRef != nil {
			made++
		}
	}
	return int(max(0, r.Status.ReleasedGrant-made))
}

// release gives the slot to those who wait, if the record has one. It keeps its slot as long as anything of it stands.
func (t *turn) release() bool {
	if !HasSlot(t.asDecided()) || t.stands() {
		return false
	}
	t.s.ReleasedGrant = t.f.Record.Spec.Grant
	return true
}
