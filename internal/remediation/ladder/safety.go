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
	// HeldByOthers: another system works on the machine.
	HeldByOthers string
	// KeptOff: a person keeps the host of the machine off, and has taken over the cycle of an attempt that reboots it.
	KeptOff string
	// Paced: other repairs have to prove themselves before this record gets a slot.
	Paced string
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

// stop is the first reason for which nothing may go on.
func (s Safety) stop() (reason, message string) {
	switch {
	case s.Paused != "":
		return v1alpha1.ReasonPaused, s.Paused
	case s.OnHold != "":
		return v1alpha1.ReasonOnHold, s.OnHold
	case s.Terminating != "":
		return v1alpha1.ReasonPaused, s.Terminating
	}
	return "", ""
}

// claim says who comes before Sickbay on this machine, or that nobody knows whether it is sick.
func (t *turn) claim(step v1alpha1.RemediationStep) (reason, message string) {
	m, s := t.f.Machine, t.f.Safety
	others := ""
	switch {
	case m.Deleting():
		others = "Somebody has deleted the machine"
	case m.Health != Sick:
		return v1alpha1.ReasonUndecided, undecidedNow
	case !acts(step.Action):
		return "", ""
	case s.KeptOff != "":
		others = s.KeptOff
	case s.HeldByOthers != "":
		others = s.HeldByOthers
	case t.taken(step) != "":
		others = t.taken(step)
	case m.Mark.Stands() && step.Action != v1alpha1.ActionReplace:
		others = "The machine is marked for " + m.ownerName()
	default:
		return "", ""
	}
	return v1alpha1.ReasonRemediationHeldByOthers, others
}

// taken says that the name of a request is taken by one that is not ours.
func (t *turn) taken(step v1alpha1.RemediationStep) string {
	request := t.f.Request
	if request == nil || request.OperationID != "" || step.Action == v1alpha1.ActionReplace || t.annotates(step) {
		return ""
	}
	return request.Ref.Kind + " " + request.Ref.Name + " exists already and belongs to another object"
}

// brake says what keeps a step from acting now although it has a slot.
func (t *turn) brake() (reason, message string) {
	s := t.f.Safety
	switch {
	case s.GateClosed != "":
		return v1alpha1.ReasonGateClosed, s.GateClosed
	case s.OverBudget != "":
		return v1alpha1.ReasonNoSlot, s.OverBudget
	case s.Changed != "":
		return v1alpha1.ReasonBackoff, s.Changed
	case s.Failed != "":
		return v1alpha1.ReasonBackoff, s.Failed
	}
	return "", ""
}
