package pacing

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

// RepairOf returns the part of a record that pacing depends on; false if it neither acted nor was granted a slot, or if a person asked for it:
// that teaches nothing about a fault.
func RepairOf(r *v1alpha1.MachineRemediation, kinds []v1alpha1.PacingDomain) (Repair, bool) {
	if r.Spec.AskedFor() {
		return Repair{}, false
	}
	repair := Repair{UID: r.UID, Domains: keysOf(r, kinds)}
	acts := actsOf(r)
	switch asked := askedAt(r); {
	case len(acts) > 0:
		repair.Started, repair.Served = acts[0].BeganAt.Time, healthcheck.Latest(acts[len(acts)-1].BeganAt.Time, asked)
	case !asked.IsZero():
		repair.Started, repair.Served = asked, asked
	default:
		return Repair{}, false
	}
	repair.conclude(r, acts)
	return repair, true
}

// actsOf returns the attempts that acted: that somebody began.
func actsOf(r *v1alpha1.MachineRemediation) []v1alpha1.RemediationAttempt {
	var acts []v1alpha1.RemediationAttempt
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].ActBegun() {
			acts = append(acts, r.Status.Attempts[i])
		}
	}
	return acts
}

// askedAt returns when a record that has a slot last asked for something; zero if it has none. Its creation asks for the first attempt.
func askedAt(r *v1alpha1.MachineRemediation) time.Time {
	attempt := ladder.AtWork(r)
	switch {
	case !ladder.HasSlot(r):
		return time.Time{}
	case attempt != nil && attempt.StartTime != nil:
		return attempt.StartTime.Time
	}
	return r.CreationTimestamp.Time
}

// conclude says when a repair was over, and its result. A record that released its slot is over for pacing: its next act needs
// another grant, which is paced, too.
func (p *Repair) conclude(r *v1alpha1.MachineRemediation, acts []v1alpha1.RemediationAttempt) {
	if ladder.Ended(r) {
		p.Completed = r.Status.CompletionTime.Time
		p.judge(r)
		return
	}
	if overdue, hangs := p.hangsSince(r); hangs {
		p.Completed, p.Failed = overdue, true
		return
	}
	if ladder.HasSlot(r) || ladder.AtWork(r) != nil {
		return
	}
	if since, held := heldInVain(r); held {
		p.Completed, p.Failed = since, true
		return
	}
	p.Completed = p.Served
	if end := acts[len(acts)-1].EndTime; end != nil {
		p.Completed = end.Time
	}
}

// judge follows how a record ended. A built-in plan proves nothing, since it does not check the replacement.
func (p *Repair) judge(r *v1alpha1.MachineRemediation) {
	if r.Spec.BuiltIn() {
		return
	}
	switch ladder.Success(&r.Status).Reason {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonReplaced:
		p.Proven = true
	case v1alpha1.ReasonUnproven, v1alpha1.ReasonReplacementFailed:
		p.Failed = true
	}
}

// hangsSince reports whether the deletion of the machine is overdue, and since when. Others in its domain go on meanwhile, or one
// finalizer would stop them all.
func (p *Repair) hangsSince(r *v1alpha1.MachineRemediation) (since time.Time, hangs bool) {
	if !ladder.DeletionOverdue(r) {
		return time.Time{}, false
	}
	if r.Status.StoppedTime == nil {
		// A built-in plan does not stop its clock.
		return p.Served.Add(ladder.DeletionTime), true
	}
	return r.Status.StoppedTime.Add(ladder.DeletionTime), true
}

// heldInVain reports whether a person must decide or approve after a repair was tried, and since when. A cancellation does not say whether
// it helped. The condition's own time would not do: after each pause, it begins anew.
func heldInVain(r *v1alpha1.MachineRemediation) (since time.Time, held bool) {
	progressing := ladder.Progress(&r.Status)
	if progressing.Status != metav1.ConditionFalse || progressing.Reason == v1alpha1.ReasonCancelled || !memory.Tried(r) {
		return time.Time{}, false
	}
	if last := ladder.Last(&r.Status); last != nil && last.EndTime != nil {
		return last.EndTime.Time, true
	}
	return progressing.LastTransitionTime.Time, true
}
