package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Ended reports whether a record is over.
func Ended(r *v1alpha1.MachineRemediation) bool { return r.Status.CompletionTime != nil }

// HasSlot reports whether a record counts as in flight: more slots were granted than given back.
func HasSlot(r *v1alpha1.MachineRemediation) bool {
	return !Ended(r) && r.Spec.Grant > r.Status.ReleasedGrant
}

// WantsSlot reports whether a record waits for a slot and for nothing else: its next step acts, approval is given, and
// the time of its back-off has passed. If only that time is missing, at is when it has.
func WantsSlot(r *v1alpha1.MachineRemediation, now time.Time) (wants bool, at time.Time) {
	if Ended(r) || HasSlot(r) || !r.DeletionTimestamp.IsZero() || AtWork(r) != nil || r.Status.RecoveryTime != nil {
		return false, time.Time{}
	}
	step, ok := NextStep(r)
	if !ok || !acts(step.Action) || !approved(r, step) {
		return false, time.Time{}
	}
	if next := r.Status.NextTransitionTime; next != nil && now.Before(next.Time) {
		return false, next.Time
	}
	return true, time.Time{}
}

// Fruitless is how many grants of a record have led to no act.
func Fruitless(r *v1alpha1.MachineRemediation) int {
	made := int32(0)
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].ObjectRef != nil {
			made++
		}
	}
	return int(max(0, r.Status.ReleasedGrant-made))
}

// acts reports whether a step needs a slot.
func acts(action v1alpha1.Action) bool {
	return action == v1alpha1.ActionRequest || action == v1alpha1.ActionReboot || action == v1alpha1.ActionReplace
}
