package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Safety says what keeps Sickbay from acting on a machine. Each field is a reason in words; empty if it does not apply.
type Safety struct {
	// Unmanaged: Sickbay does not look after the machine any more.
	Unmanaged string
	// Terminating: its namespace or Cluster is being deleted.
	Terminating string
	// Paused: the MachineHealthCheck, the Cluster or the Machine is paused, or its plan only observes.
	Paused string
	// OnHold: somebody holds remediation back until HoldUntil.
	OnHold    string
	HoldUntil time.Time
	// HeldByOthers: another system works on the machine, as the caches show.
	HeldByOthers string
	// Claimed: another system works on the machine, which only a judgement past the caches shows.
	Claimed string
	// KeptOff: a person keeps the host of the machine off, and has taken over the cycle of an attempt that reboots it.
	KeptOff string
	// Paced: other repairs have to prove themselves before this record gets a slot.
	Paced string
	// Misconfigured: the MachineHealthCheck cannot be followed, or its plan does not exist.
	Misconfigured string
	// GateClosed: triggerIf does not allow remediation.
	GateClosed string
	// OverBudget: more records have a slot than are allowed.
	OverBudget string
	// PlanProblem: the plan cannot be evaluated.
	PlanProblem string
	// Changed: what the act goes by is not as it was when it was planned.
	Changed string
	// Failed: the act was tried, and could not be carried out. A read after it has shown nothing of it.
	Failed string
	// Stuck: what was asked for could not be taken back just now.
	Stuck string
}

// stop is the first reason for which nothing may go on at a time. A hold may have ended since it was observed.
func (s Safety) stop(now time.Time) (reason, message string) {
	switch {
	case s.Paused != "":
		return v1alpha1.ReasonPaused, s.Paused
	case s.OnHold != "" && (s.HoldUntil.IsZero() || now.Before(s.HoldUntil)):
		return v1alpha1.ReasonOnHold, s.OnHold
	case s.Terminating != "":
		return v1alpha1.ReasonPaused, s.Terminating
	}
	return "", ""
}

// obstacle is what keeps a step from acting. The zero value is none.
type obstacle struct {
	reason, message string
	// hidden reports that the caches do not show it, so nobody knows when it is over.
	hidden bool
}

func (o obstacle) stands() bool { return o.reason != "" }

// claim is who comes before Sickbay on this machine, or that nobody knows whether it is sick, or by which plan to go.
func (t *turn) claim(step v1alpha1.RemediationStep) obstacle {
	m, s := t.f.Machine, t.f.Safety
	switch {
	case m.Deleting():
		return heldByOthers("Somebody has deleted the machine")
	case m.Health != Sick:
		return obstacle{v1alpha1.ReasonUndecided, undecidedNow, m.Unconfirmed}
	case !Acts(step.Action):
		return obstacle{}
	case s.Claimed != "":
		return obstacle{v1alpha1.ReasonRemediationHeldByOthers, s.Claimed, true}
	case t.claimed(step) != "":
		return heldByOthers(t.claimed(step))
	case s.Misconfigured != "":
		return obstacle{reason: v1alpha1.ReasonGateClosed, message: s.Misconfigured}
	}
	return obstacle{}
}

func heldByOthers(message string) obstacle {
	return obstacle{reason: v1alpha1.ReasonRemediationHeldByOthers, message: message}
}

// claimed says who else is at work on the machine, as far as the caches show it.
func (t *turn) claimed(step v1alpha1.RemediationStep) string {
	m, s := t.f.Machine, t.f.Safety
	switch {
	case s.KeptOff != "":
		return s.KeptOff
	case s.HeldByOthers != "":
		return s.HeldByOthers
	case t.taken(step) != "":
		return t.taken(step)
	case m.Mark.Stands() && step.Action != v1alpha1.ActionReplace:
		return "The machine is marked for " + m.ownerName()
	}
	return ""
}

// taken says that the name of a request is taken by one that is not ours.
func (t *turn) taken(step v1alpha1.RemediationStep) string {
	request := t.f.Request
	if request == nil || request.OperationID != "" || step.Action == v1alpha1.ActionReplace || t.annotates(step) {
		return ""
	}
	return request.Ref.Kind + " " + request.Ref.Name + " exists already and belongs to another object"
}

// brake is what keeps a step from acting now although it has a slot. Nobody knows when it is over.
func (t *turn) brake() obstacle {
	s := t.f.Safety
	switch {
	case s.GateClosed != "":
		return obstacle{v1alpha1.ReasonGateClosed, s.GateClosed, true}
	case s.OverBudget != "":
		return obstacle{v1alpha1.ReasonNoSlot, s.OverBudget, true}
	case s.Changed != "":
		return obstacle{v1alpha1.ReasonBackoff, s.Changed, true}
	case s.Failed != "":
		return obstacle{v1alpha1.ReasonBackoff, s.Failed, true}
	}
	return obstacle{}
}
