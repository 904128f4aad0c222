package ladder

import (
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Safety says what keeps Sickbay from acting on a machine: a cause, or a sentence where numbers matter. A field is not set if it does not
// apply.
type Safety struct {
	// Unmanaged: Sickbay no longer manages the machine.
	Unmanaged Cause
	// Superseded: a person has asked for something else to be done to the machine.
	Superseded Cause
	// HandedOver: another MachineHealthCheck leads now.
	HandedOver Cause
	// Terminating: its namespace or Cluster is being deleted.
	Terminating Cause
	// Paused: the MachineHealthCheck, the Cluster or the Machine is paused, or its plan only observes.
	Paused Cause
	// OnHold: somebody has put remediation on hold until HoldUntil.
	OnHold    string
	HoldUntil time.Time
	// HeldByOthers: another system works on the machine, as the caches show.
	HeldByOthers Cause
	// OthersAtWork: another system works on the machine, which only a live judgement shows.
	OthersAtWork Cause
	// KeptOff: a person, or another system, keeps the machine's host off or works on it. It takes over the power cycle of an attempt.
	KeptOff Cause
	// Paced: other repairs must succeed before this record gets a slot.
	Paced string
	// Misconfigured: the settings of the MachineHealthCheck are invalid, or its plan does not exist.
	Misconfigured Cause
	// GateClosed: triggerIf does not allow remediation.
	GateClosed string
	// OverBudget: more records have a slot than are allowed.
	OverBudget string
	// PlanProblem: the plan cannot be evaluated.
	PlanProblem string
	// Changed reports that the facts behind the act have changed since it was planned.
	Changed bool
	// Failed: the act was tried and failed. A read after it shows no effect.
	Failed string
	// Impossible: the act was tried, and can never take effect.
	Impossible string
	// Stuck: a withdrawal failed just now.
	Stuck string
}

// Cause is one thing that keeps Sickbay from acting: what it is, and the names that its sentence needs. The zero value is none.
type Cause struct {
	What         What
	Name, Detail string
}

// What is the kind of a cause, in the words that a person reads: {name} and {detail} stand for the values of the cause. A cause without one is
// its detail.
type What string

// The kinds of causes that are no arithmetic of another pure package.
const (
	Draining          What = "Sickbay drains: it hands everything back"
	NotSelected       What = "No MachineHealthCheck selects the machine any more"
	NotManaged        What = "MachineHealthCheck {name} is no longer managed by Sickbay"
	OtherController   What = "MachineHealthCheck {name} of another controller selects the machine, too"
	OtherLeads        What = "MachineHealthCheck {name} selects the machine, too, and repairs it"
	NoneLeads         What = "MachineHealthCheck {name} does not find the machine sick, and no other one that selects it repairs it now"
	AskedInstead      What = "MachineRemediation {name} is what {detail} asked for instead"
	ClusterGone       What = "The Cluster is gone"
	ClusterDeleting   What = "The Cluster is being deleted"
	ClusterPaused     What = "Cluster spec.paused is set to true"
	Annotated         What = "The Machine has the annotation {name}"
	InDryRun          What = "MachineHealthCheck {name} is in dry-run"
	OnlyObserves      What = "The plan of MachineHealthCheck {name} only observes"
	OtherRecordAtWork What = "MachineRemediation {name} is at work on the machine"
	CycleAsked        What = "Somebody asks for a power cycle of its host by the annotation {name}"
	AskedNotAnswered  What = "The annotation {name} is not answered yet"
	HostKeptOff       What = "Somebody keeps its host off by the annotation {name}"
	NodeGivenAway     What = "NVSentinel has given the Node to {name}"
	NodeWorkedOn      What = "NVSentinel works on the Node: {name}"
	PlanMissing       What = "MachineRemediationTemplate {detail} of MachineHealthCheck {name} does not exist"
	ConfigInvalid     What = "The configuration of MachineHealthCheck {name} is invalid: {detail}"
)

// Said is a cause that another package has put into words; none if they are empty.
func Said(words string) Cause { return Cause{Detail: words} }

// IsSet reports whether there is a cause.
func (c Cause) IsSet() bool { return c != Cause{} }

// String is the sentence for a person; empty without a cause.
func (c Cause) String() string {
	if c.What == "" {
		return c.Detail
	}
	return strings.NewReplacer("{name}", c.Name, "{detail}", c.Detail).Replace(string(c.What))
}

// stop returns the first reason to stop at a given time. A hold may have ended since it was observed.
func (s Safety) stop(now time.Time) (reason, message string) {
	switch {
	case s.Paused.IsSet():
		return v1alpha1.ReasonPaused, s.Paused.String()
	case s.OnHold != "" && (s.HoldUntil.IsZero() || now.Before(s.HoldUntil)):
		return v1alpha1.ReasonOnHold, s.OnHold
	case s.Terminating.IsSet():
		return v1alpha1.ReasonPaused, s.Terminating.String()
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
	case s.OthersAtWork.IsSet():
		return obstacle{v1alpha1.ReasonRemediationHeldByOthers, s.OthersAtWork.String(), true}
	case d.othersAtWork(step) != "":
		return heldByOthers(d.othersAtWork(step))
	case s.Misconfigured.IsSet():
		return obstacle{reason: v1alpha1.ReasonGateClosed, message: s.Misconfigured.String()}
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
	case s.KeptOff.IsSet():
		return s.KeptOff.String()
	case s.HeldByOthers.IsSet():
		return s.HeldByOthers.String()
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
	case s.Changed:
		return obstacle{v1alpha1.ReasonBackoff, "The machine has changed while it was judged", true}
	case s.Failed != "":
		return obstacle{v1alpha1.ReasonBackoff, s.Failed, true}
	}
	return obstacle{}
}
