package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Facts is everything that the next step of a record depends on, apart from the time. Deciding changes nothing in it.
type Facts struct {
	// Record is the MachineRemediation as it was read.
	Record *v1alpha1.MachineRemediation
	// Machine is the machine of the record, by its UID.
	Machine Machine
	// Safety says what keeps Sickbay from acting.
	Safety Safety
	// Request is what the latest attempt has made, or what stands in its place; nil if nothing does.
	Request *Request
	// Successor is the machine that has taken the place of the one that is gone; nil if there is none yet.
	Successor *Successor
	// NoSuccessor says why no machine will take that place, such as an owner that was scaled down; empty if one may come.
	NoSuccessor string
	// JumpTo is the step that the rules of the plan ask for now; empty if they ask for none.
	JumpTo string
	// RemediateAsked reports that the Machine has the annotation cluster.x-k8s.io/remediate-machine.
	RemediateAsked bool
	// ResumedAt is when the last pause ended that may have gone unseen; zero if there was none.
	ResumedAt time.Time
}

// Request is an object that an attempt has made, or one of another owner under its name.
type Request struct {
	// OperationID is that of the attempt that made it; empty if it was not made by this record.
	OperationID string
	Ref         v1alpha1.RemediationObjectReference
	// Deleting reports that it is on its way out.
	Deleting bool
	// Unreadable says why nobody can tell whether it still stands; empty if it was read.
	Unreadable string
	// Succeeded is the status of its condition of that name: True, False, or anything else while it is undecided.
	Succeeded string
	// Message is that condition's.
	Message string
}

// Successor is the machine in the place of the one that is gone.
type Successor struct {
	Name   string
	Health Health
	// HealthySince is when it became healthy; zero if it is not.
	HealthySince time.Time
	// Gone reports that it went, or is going.
	Gone bool
	// Record is its own record; nil if it has none.
	Record *v1alpha1.RemediationReference
}
