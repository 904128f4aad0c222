// Package timeline says when the parts of a repair happened, as its record tells. It is pure.
package timeline

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Times are the milestones of one repair.
type Times struct {
	// Detected is when the machine fell sick, or when somebody asked. Admitted is when the repair was admitted.
	Detected, Admitted time.Time
	// Acted is when the first action began, and Healthy when the machine, or the one that has replaced it, became healthy to stay; nil if that did
	// not happen, or if nobody knows.
	Acted, Healthy *time.Time
	// Succeeded reports that an action was taken and helped. Unproven reports that the machine is gone as it should be, and nobody waited for one to
	// replace it.
	Succeeded, Unproven bool
}

// Of returns the milestones of a record.
func Of(r *v1alpha1.MachineRemediation) Times {
	t := Times{Detected: r.Spec.Finding.Since.Time, Admitted: r.CreationTimestamp.Time, Acted: actedAt(r.Status.Attempts)}
	if r.Spec.AskedFor() {
		t.Detected = t.Admitted
	}
	if !ladder.Ended(r) {
		return t
	}
	healed, done := false, false
	switch ladder.Success(&r.Status).Reason {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonReplaced:
		t.Unproven = ladder.ReplacedUnchecked(r)
		healed = t.Acted != nil && !t.Unproven
	case v1alpha1.ReasonDone:
		done = t.Acted != nil
	case v1alpha1.ReasonRecoveredUnaided:
		t.Healthy = healthyAt(r)
	}
	t.Succeeded = healed || done
	if healed {
		t.Healthy = healthyAt(r)
	}
	return t
}

// Parts returns how long the parts of a repair took, if it did what it should: admit (from the verdict), act (from admission), and if it is known to
// have helped, heal (from the first act) and all.
func (t Times) Parts() map[string]time.Duration {
	proven := t.Succeeded && t.Healthy != nil
	if t.Acted == nil || (!t.Unproven && !proven) {
		return nil
	}
	took := func(from, to time.Time) time.Duration { return max(0, to.Sub(from)) }
	parts := map[string]time.Duration{"admit": took(t.Detected, t.Admitted), "act": took(t.Admitted, *t.Acted)}
	if proven {
		parts["heal"], parts["all"] = took(*t.Acted, *t.Healthy), took(t.Detected, *t.Healthy)
	}
	return parts
}

func actedAt(attempts []v1alpha1.RemediationAttempt) *time.Time {
	for i := range attempts {
		if attempts[i].ActBegun() {
			return &attempts[i].BeganAt.Time
		}
	}
	return nil
}

// healthyAt returns when the machine became healthy to stay, or was gone.
func healthyAt(r *v1alpha1.MachineRemediation) *time.Time {
	if r.Status.RecoveryTime != nil {
		return &r.Status.RecoveryTime.Time
	}
	return &r.Status.CompletionTime.Time
}

// DeletionOf returns which owner's machine a record had deleted, and how long that took; 0 if it had none deleted, or if the record says only when
// the replacement had proven itself.
func DeletionOf(r *v1alpha1.MachineRemediation) (owner types.UID, took time.Duration) {
	last := ladder.Last(&r.Status)
	if !ladder.Ended(r) || last == nil || last.EndTime == nil || !last.ActBegun() || !ladder.ReplacedUnchecked(r) {
		return "", 0
	}
	return last.ObjectRef.UID, last.EndTime.Sub(last.BeganAt.Time)
}
