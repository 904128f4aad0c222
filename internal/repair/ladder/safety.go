package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Safety says what keeps Sickbay from acting on a machine. Each field is a reason in words; empty if it does not apply.
type Safety struct {
	// Unmanaged: Sickbay no longer manages the machine.
	Unmanaged string
	// Superseded: a person has asked for something else to be done to the machine.
	Superseded string
	// HandedOver: another MachineHealthCheck leads now.
	HandedOver string
	// Terminating: its namespace or Cluster is being deleted.
	Terminating string
	// Paused: the MachineHealthCheck, the Cluster or the Machine is paused, or its plan only observes.
	Paused string
	// OnHold: somebody has put remediation on hold until HoldUntil.
	OnHold    string
	HoldUntil time.Time
	// HeldByOthers: another system works on the machine, as the caches show.
	HeldByOthers string
	// OthersAtWork: another system works on the machine, which only a live judgement shows.
	OthersAtWork string
	// KeptOff: a person, or another system, keeps the machine's host off or works on it. It takes over the power cycle of an attempt.
	KeptOff string
	// Paced: other repairs must succeed before this record gets a slot.
	Paced string
	// Misconfigured: the settings of the MachineHealthCheck are invalid, or its plan does not exist.
	Misconfigured string
	// GateClosed: triggerIf does not allow remediation.
	GateClosed string
	// OverBudget: more records have a slot than are allowed.
	OverBudget string
	// PlanProblem: the plan cannot be evaluated.
	PlanProblem string
	// Changed: the facts behind the act have changed since it was planned.
	Changed string
	// Failed: the act was tried and failed. A read after it shows no effect.
	Failed string
	// Impossible: the act was tried, and can never take effect.
	Impossible string
	// Stuck: a withdrawal failed just now.
	Stuck string
}

// stop returns the first reason to stop at a given time. A hold may have ended since it was observed.
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
	// hidden reports that the caches do not show it, so its end is unknown.
	hidden bool
}

func (o obstacle) isSet() bool { return o.reason != "" }

// precedence returns who takes precedence over Sickbay on this machine, or that its health or its plan is unknown.
func (d *draft) precedence(step v1alpha1.RemediationStep) obstacle {
	m, s := d.f.Machine, d.f.Safety
	switch {
	case m.Deleting():
		return heldByOthers("Somebody has deleted the machine")
	case m.Health != Sick:
		return obstacle{v1alpha1.ReasonUndecided, undecidedNow, m.Unconfirmed}
	case !Acts(step.Action):
		return obstacle{}
	case s.OthersAtWork != "":
		return obstacle{v1alpha1.ReasonRemediationHeldByOthers, s.OthersAtWork, true}
	case d.othersAtWork(step) != "":
		return heldByOthers(d.othersAtWork(step))
	case s.Misconfigured != "":
		return obstacle{reason: v1alpha1.ReasonGateClosed, message: s.Misconfigured}
	}
	return obstacle{}
}

func heldByOthers(message string) obstacle {
	return obstacle{reason: v1alpha1.ReasonRemediationHeldByOthers, message: message}
}

// othersAtWork says who else works on the machine, as far as the caches show it.
func (d *draft) othersAtWork(step v1alpha1.RemediationStep) string {
	m, s := d.f.Machine, d.f.Safety
	switch {
	case s.KeptOff != "":
		return s.KeptOff
	case s.HeldByOthers != "":
		return s.HeldByOthers
	case d.taken(step) != "":
		return d.taken(step)
	case m.Mark.Stands() && !step.Marks() && (!step.Deletes() || m.Mark.State != MarkRefused):
		// A deletion is for owners that refuse.
		return "The machine is marked for " + m.ownerName()
	}
	return ""
}

// taken says that the name of a request is taken by somebody else's object.
func (d *draft) taken(step v1alpha1.RemediationStep) string {
	request := d.f.Request
	if request == nil || request.OperationID != "" || step.Action == v1alpha1.ActionReplace {
		return ""
	}
	return request.Ref.Kind + " " + request.Ref.Name + " exists already and belongs to another object"
}

// brake returns what keeps a step from acting now although it has a slot. Its end is unknown.
func (d *draft) brake() obstacle {
	s := d.f.Safety
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
