package ladder

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rules run in this order; the first that answers decides. A rule that does not answer may have changed the status for those after
// it.
var rules = []struct {
	name   string
	answer func(*draft) bool
}{
	{"the record has ended", (*draft).ended},
	{"what has begun unseen is taken over", (*draft).takeOver},
	{"the machine is gone", (*draft).gone},
	{"the machine is handed back", (*draft).handBack},
	{"a person has decided against it", (*draft).refusedByPerson},
	{"somebody has stopped it", (*draft).stopped},
	{"something is left of an attempt that is over", (*draft).withdraw},
	{"the machine is healthy", (*draft).recovered},
	{"the machine is not proven to be healthy", (*draft).unproven},
	{"an attempt is at work", (*draft).atWork},
	{"a person must decide", (*draft).held},
	{"the next attempt has not begun", (*draft).pending},
}

// Decide returns what comes next for a record. It does not change the facts.
func Decide(f Facts, now time.Time) Decision {
	if f.Record.Spec.AskedFor() {
		f.asAsked()
	}
	d := &draft{f: f, now: now, s: *f.Record.Status.DeepCopy()}
	if !Ended(f.Record) {
		d.notLater()
	}
	for _, rule := range rules {
		if rule.answer(d) {
			d.decision.Rule = rule.name
			break
		}
	}
	if d.decision.Act == None {
		d.s.SlotWanted = d.inLine
		d.forgetsAnnotation()
	}
	d.decision.Status = d.s
	if d.decision.Act == None && d.changed() {
		d.decision.Status.ObservedGeneration = f.Record.Generation
		d.decision.Store = true
	}
	return d.decision
}

// changed reports whether the status differs from the one that was read.
func (d *draft) changed() bool { return !equality.Semantic.DeepEqual(d.s, d.f.Record.Status) }

// ended leaves nothing to do but to remove the finalizer and the label.
func (d *draft) ended() bool {
	if d.s.CompletionTime == nil {
		return false
	}
	_, open := d.f.Record.Labels[v1alpha1.OpenLabel]
	for _, finalizer := range d.f.Record.Finalizers {
		open = open || finalizer == v1alpha1.RemediationFinalizer
	}
	if open {
		return d.act(Close, v1alpha1.RemediationAttempt{}, v1alpha1.RemediationStep{})
	}
	if d.f.Record.DeletionTimestamp.IsZero() {
		// A decision that came too late is seen, so that nobody waits for what comes of it.
		d.s.ObservedGeneration = d.f.Record.Generation
	}
	return true
}

// Decision is the one thing that comes next: a status to store, or an act.
type Decision struct {
	// Status is what the status should be.
	Status v1alpha1.MachineRemediationStatus
	// Store reports that Status differs from what is stored. It must be stored before anything else.
	Store bool
	// Act is what to do in the world; never together with Store.
	Act Act
	// Attempt is the attempt that Act belongs to.
	Attempt v1alpha1.RemediationAttempt
	// Step is the step that Act belongs to.
	Step v1alpha1.RemediationStep
	// RecheckAt is when the decision can change by itself; zero means never.
	RecheckAt time.Time
	// Rule is the name of the rule that decided.
	Rule string
}

// Act is one write in the world, safe to repeat.
type Act string

// The acts.
const (
	// None: there is nothing to do.
	None Act = ""
	// MarkForOwner sets the condition OwnerRemediated=False.
	MarkForOwner Act = "MarkForOwner"
	// DeleteMachine deletes a Machine that no controller owns, or whose step says so.
	DeleteMachine Act = "DeleteMachine"
	// CreateReboot makes a RebootRemediation.
	CreateReboot Act = "CreateReboot"
	// CreateRequest makes a remediation request from the template of the step.
	CreateRequest Act = "CreateRequest"
	// WithdrawMark removes OwnerRemediated.
	WithdrawMark Act = "WithdrawMark"
	// WithdrawRequest deletes the object that an attempt made.
	WithdrawRequest Act = "WithdrawRequest"
	// Close removes the finalizer and the label of open records.
	Close Act = "Close"
)

// Begins reports whether an act changes a machine, so that everything it depends on must be read live first.
func (a Act) Begins() bool {
	switch a {
	case MarkForOwner, DeleteMachine, CreateReboot, CreateRequest:
		return true
	default:
		return false
	}
}
