package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Facts is everything that the next step of a record depends on, apart from the time. Deciding does not change it.
type Facts struct {
	// Record is the MachineRemediation as it was read.
	Record *v1alpha1.MachineRemediation
	// Machine is the machine of the record, by its UID.
	Machine Machine
	// Safety says what keeps Sickbay from acting.
	Safety Safety
	// Request is the object that the latest attempt made, or another one with its name; nil if there is none.
	Request *Request
	// Successor is the machine that replaced the one that is gone; nil if there is none yet.
	Successor *Successor
	// NoSuccessor says why no machine will replace it, for example because its owner was scaled down; empty if one may come.
	NoSuccessor string
	// SuccessorUnknown reports that nobody can tell whether the owner makes another machine: it does not say how many it wants.
	SuccessorUnknown bool
	// Bounded reports that slots or pacing limit the repairs of the MachineHealthCheck, so others wait for what this record keeps.
	Bounded bool
	// Unlimited reports that no MachineHealthCheck limits how many machines are repaired at once, so what an annotation asks for needs no slot.
	Unlimited bool
	// BootTime is how long the Node may take to come back once nobody keeps the host off any more; zero if there is no host.
	BootTime time.Duration
	// JumpTo is the step that the rules of the plan ask for now; empty if they ask for none.
	JumpTo string
	// RemediateAsked reports that the Machine has the annotation cluster.x-k8s.io/remediate-machine.
	RemediateAsked bool
	// Withdrawn says that the asker no longer wants this; empty if they do.
	Withdrawn string
	// ResumedAt is when the last pause ended that may not have been seen; zero if there was none.
	ResumedAt time.Time
}

// asAsked lets the word of somebody who asks without a finding count like a verdict, and no other annotation matter. Another health check
// still says how the machine is.
func (f *Facts) asAsked() {
	f.Machine.OtherFinding, f.RemediateAsked, f.JumpTo = false, false, ""
	// The asker waits for an answer, so nothing is asked for without end.
	f.Bounded = true
	if f.Record.Spec.OnTheirWord() {
		f.Machine.Health, f.BootTime = Sick, 0
	}
}

// Request is an object that an attempt made, or somebody else's object with its name.
type Request struct {
	// OperationID is the operationID of the attempt that made it; empty if this record did not make it.
	OperationID string
	Ref         v1alpha1.RemediationObjectReference
	// Deleting reports that it is being deleted.
	Deleting bool
	// Unreadable says why its existence is unknown; empty if it was read.
	Unreadable string
	// BeganAt is when a power cycle began; zero if it has not. Any other request has begun once it exists.
	BeganAt time.Time
	// HostOffAt is when the host of a power cycle was proven off; zero if it was not.
	HostOffAt time.Time
	// HostReleased reports that a power cycle has let the host come on again.
	HostReleased bool
	// Kept says which person or system keeps the host of a power cycle that has not begun; empty if nobody does.
	Kept string
	// Impossible reports that a power cycle has ended without having begun, since its host cannot be cycled at all.
	Impossible bool
	// Aborted reports that a power cycle has ended early through no fault of the host.
	Aborted bool
	// Succeeded is the status of its condition of that name: True, False, or anything else while it is undecided.
	Succeeded string
	// Message is the message of that condition.
	Message string
}

// Successor is the machine that replaces the one that is gone.
type Successor struct {
	// Name may be missing of one that is gone.
	Name   string
	Health Health
	// HealthySince is when it became healthy; zero if it is not.
	HealthySince time.Time
	// Gone reports that it is gone or being deleted.
	Gone bool
	// Record is its own record; nil if it has none.
	Record *v1alpha1.RemediationReference
}

// Health is what is known about a machine. Only Sick permits an act, and only Healthy proves that one helped.
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
	// Unconfirmed reports that Health is undecided only because a live judgement differs from the verdict.
	Unconfirmed bool
	// OtherFinding reports that the machine is sick for another reason than that for which it was admitted.
	OtherFinding bool
	// Owner is the controller that owns it; nil if none does.
	Owner *v1alpha1.RemediationObjectReference
	// Maker is who makes another one after Sickbay has deleted it, if that is not its owner.
	Maker *v1alpha1.RemediationObjectReference
	// ControlPlane reports that it is part of a control plane.
	ControlPlane bool
	// OwnerActive reports that the owner is at work on another machine of its own: it has answered a mark there, or the machine is being
	// deleted or provisioned.
	OwnerActive bool
	// Mark is the condition OwnerRemediated.
	Mark Mark
}

// Deleting reports whether the Machine is being deleted.
func (m Machine) Deleting() bool { return !m.DeletingSince.IsZero() }

// ownerName returns the kind and the name of the owner.
func (m Machine) ownerName() string {
	if m.Owner == nil {
		return "its owner"
	}
	return m.Owner.Kind + " " + m.Owner.Name
}

// MarkState is the owner's answer to the mark on its machine.
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
	// MarkAnswered: the owner says that it deletes the machine.
	MarkAnswered MarkState = "Answered"
)

// Mark is the condition with which Sickbay leaves a Machine to its owner.
type Mark struct {
	State MarkState
	// Message is the owner's own.
	Message string
	// Ours reports that Sickbay set it.
	Ours bool
}

// Stands reports whether the Machine is marked.
func (m Mark) Stands() bool { return m.State != MarkNone }

// Alone returns the facts in the record alone, for a person who may read nothing else.
func Alone(r *v1alpha1.MachineRemediation) Facts {
	f := Facts{Record: r, Machine: Machine{Health: Sick}}
	if r.Status.RecoveryTime != nil {
		f.Machine.Health = Healthy
	}
	last := Last(&r.Status)
	if last == nil || last.ObjectRef == nil {
		return f
	}
	d := draft{f: f, s: r.Status}
	step := d.stepOf(last)
	if step.Action == v1alpha1.ActionReplace && !last.ObjectRef.IsMachine() {
		f.Machine.Owner = last.ObjectRef.DeepCopy()
	}
	if last.EndTime != nil && d.reason() != v1alpha1.ReasonWithdrawing {
		return f
	}
	switch {
	case step.Action == v1alpha1.ActionReplace:
		f.Machine.alone(last, step)
	case Acts(step.Action):
		f.Request = &Request{OperationID: last.OperationID, Ref: *last.ObjectRef}
		if last.Begun() {
			f.Request.BeganAt = last.BeganAt.Time
		}
	}
	return f
}

// alone adds what an attempt that replaces the machine says about it.
func (m *Machine) alone(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) {
	if attempt.Begun() {
		m.DeletingSince = attempt.BeganAt.Time
	}
	if m.Owner != nil && step.Marks() {
		m.Mark = Mark{State: MarkWaiting, Ours: true}
	}
}
