package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Health is what is known about a machine. Only Sick permits an act, and only Healthy proves that one has helped.
type Health string

// The three values of Health.
const (
	Healthy   Health = "Healthy"
	Sick      Health = "Sick"
	Undecided Health = "Undecided"
)

// Machine is what was observed about the Machine of a record.
type Machine struct {
	// Gone reports that no Machine has the UID of the record any more.
	Gone bool
	// DeletingSince is when somebody deleted the Machine; zero if nobody has.
	DeletingSince time.Time
	Health        Health
	// Unconfirmed reports that it is undecided only since a judgement past the caches differs from the verdict.
	Unconfirmed bool
	// VerdictStands reports that a machine that Sickbay does not look after any more still has our verdict. Owners act on
	// verdict and mark together, so the mark goes after it.
	VerdictStands bool
	// Owner is the controller that owns it; nil if none does.
	Owner *v1alpha1.RemediationObjectReference
	// OwnerActive reports that the owner has answered a mark, or deletes one of its machines.
	OwnerActive bool
	// Mark is the condition OwnerRemediated.
	Mark Mark
	// RebootOperation is the operationID of the last power cycle that was asked for by annotation.
	RebootOperation string
	// RebootStands reports that the annotation for that power cycle is still there.
	RebootStands bool
}

// Deleting reports whether the Machine is on its way out.
func (m Machine) Deleting() bool { return !m.DeletingSince.IsZero() }

// ownerName is the kind and the name of the owner.
func (m Machine) ownerName() string {
	if m.Owner == nil {
		return "its owner"
	}
	return m.Owner.Kind + " " + m.Owner.Name
}

// MarkState is what the owner of a machine says about its mark.
type MarkState string

// The states of a mark.
const (
	// MarkNone: there is no mark.
	MarkNone MarkState = ""
	// MarkWaiting: the owner has not answered.
	MarkWaiting MarkState = "Waiting"
	// MarkDeferred: the owner will act later.
	MarkDeferred MarkState = "Deferred"
	// MarkRefused: the owner cannot remediate the machine.
	MarkRefused MarkState = "Refused"
	// MarkAnswered: the owner is at work.
	MarkAnswered MarkState = "Answered"
)

// Mark is the condition by which a Machine is left to its owner.
type Mark struct {
	State MarkState
	// Message is the owner's own.
	Message string
	// Ours reports that Sickbay has set it.
	Ours bool
}

// Stands reports whether the Machine is marked.
func (m Mark) Stands() bool { return m.State != MarkNone }
