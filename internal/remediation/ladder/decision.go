package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Decision is the one thing that comes next: a status to store, or an act.
type Decision struct {
	// Status is what the status should be.
	Status v1alpha1.MachineRemediationStatus
	// Store reports that Status differs from what is stored. It has to be stored before anything else is done.
	Store bool
	// Act is what to do in the world; never together with Store.
	Act Act
	// Attempt is the one that Act belongs to.
	Attempt v1alpha1.RemediationAttempt
	// Step is the one that Act belongs to.
	Step v1alpha1.RemediationStep
	// RecheckAt is when the decision can change by itself; zero means never.
	RecheckAt time.Time
	// Rule is the name of the rule that has decided.
	Rule string
}

// Act is one write in the world, safe to repeat.
type Act string

// The acts.
const (
	// None: nothing is to be done.
	None Act = ""
	// MarkForOwner sets the condition OwnerRemediated=False.
	MarkForOwner Act = "MarkForOwner"
	// DeleteMachine deletes a Machine that no controller owns.
	DeleteMachine Act = "DeleteMachine"
	// AnnotateReboot asks for a power cycle by the annotation reboot.metal3.io.
	AnnotateReboot Act = "AnnotateReboot"
	// CreateReboot makes a RebootRemediation.
	CreateReboot Act = "CreateReboot"
	// CreateRequest makes a remediation request from the template of the step.
	CreateRequest Act = "CreateRequest"
	// WithdrawMark takes OwnerRemediated away again.
	WithdrawMark Act = "WithdrawMark"
	// WithdrawReboot takes the annotation away again.
	WithdrawReboot Act = "WithdrawReboot"
	// WithdrawRequest deletes what an attempt has made.
	WithdrawRequest Act = "WithdrawRequest"
	// Close takes the finalizer and the label of open records off.
	Close Act = "Close"
)

// Begins reports whether an act does something to a machine, so that everything it goes by has to be read live before.
func (a Act) Begins() bool {
	switch a {
	case MarkForOwner, DeleteMachine, AnnotateReboot, CreateReboot, CreateRequest:
		return true
	default:
		return false
	}
}
