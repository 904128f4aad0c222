package ladder

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Ended reports whether a record has ended.
func Ended(r *v1alpha1.MachineRemediation) bool { return r.Status.CompletionTime != nil }

// InFlight reports whether a record counts against the limit: it has a slot, or what it asked for is at work without one. A former
// leader may have carried that out after the slot was released. What somebody asked for counts from its intent on. A host that a person keeps off takes
// no room for as long as that lasts.
func InFlight(r *v1alpha1.MachineRemediation) bool {
	attempt := AtWork(r)
	atWork := !Ended(r) && attempt != nil && (attempt.ObjectRef != nil || r.Spec.AskedFor()) && !SingleSteps(r)
	if NeedsNoSlot(r) {
		return atWork
	}
	return HasSlot(r) || atWork
}

// NeedsNoSlot reports whether a record acts without a slot: a person asked for it, or another health check. What an annotation asks for
// needs one, as programs annotate whole racks, but for single steps, which a person takes.
func NeedsNoSlot(r *v1alpha1.MachineRemediation) bool {
	by := r.Spec.RequestedBy
	return by != nil && (by.Kind != v1alpha1.AskedByAnnotation || SingleSteps(r))
}

// HasBegun reports whether somebody has begun to carry out an attempt of a record that acts.
func HasBegun(r *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return a.ActBegun() })
}

// HasSlot reports whether a record was granted more slots than it has released. One that needs none always has one.
func HasSlot(r *v1alpha1.MachineRemediation) bool {
	return !Ended(r) && (NeedsNoSlot(r) || r.Spec.Grant > r.Status.ReleasedGrant)
}

// mayAct reports whether the record has a slot, or nobody limits how many do.
func (d *draft) mayAct() bool {
	return HasSlot(d.asDecided()) || (d.f.Record.Spec.AskedFor() && d.f.Unlimited)
}

// WantsSlot reports whether a record waits only for a slot: it says so, nobody has decided against it since, and its back-off is
// over. If only the back-off remains, at is its end.
func WantsSlot(r *v1alpha1.MachineRemediation, now time.Time) (wants bool, at time.Time) {
	if !r.Status.SlotWanted || Ended(r) || HasSlot(r) || !r.DeletionTimestamp.IsZero() || refuses(DecisionAbout(r)) {
		return false, time.Time{}
	}
	if next := r.Status.NextTransitionTime; next != nil && now.Before(next.Time) {
		return false, next.Time
	}
	return true, time.Time{}
}

// getInLine records that the next attempt needs only a slot.
func (d *draft) getInLine(step v1alpha1.RemediationStep) { d.inLine = Acts(step.Action) }

// Fruitless returns how many grants of a record led to nothing that somebody began.
func Fruitless(r *v1alpha1.MachineRemediation) int {
	begun := int32(0)
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].ActBegun() {
			begun++
		}
	}
	return int(max(0, r.Status.ReleasedGrant-begun))
}

// release gives the record's slot, if it has one, to those who wait. The record keeps it while anything that it asked for is in
// progress, or the machine is being deleted for it, for as long as a deletion may take.
func (d *draft) release() bool {
	if NeedsNoSlot(d.f.Record) || !HasSlot(d.asDecided()) || d.stands() {
		return false
	}
	if d.goesForUs() {
		d.recheck(d.f.Machine.DeletingSince.Add(DeletionTime))
		return false
	}
	d.s.ReleasedGrant = d.f.Record.Spec.Grant
	return true
}
