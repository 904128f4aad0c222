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
	answer func(*turn) bool
}{
	{"the record has ended", (*turn).ended},
	{"what has begun unseen is taken over", (*turn).takeOver},
	{"the machine is gone", (*turn).gone},
	{"somebody has stopped it", (*turn).stopped},
	{"the machine is handed back", (*turn).handBack},
	{"something is left of an attempt that is over", (*turn).withdraw},
	{"a person has decided against it", (*turn).refusedByPerson},
	{"the machine is healthy", (*turn).recovered},
	{"the machine is not proven to be healthy", (*turn).unproven},
	{"an attempt is at work", (*turn).atWork},
	{"a person must decide", (*turn).held},
	{"the next attempt has not begun", (*turn).pending},
}

// Decide returns what comes next for a record. It does not change the facts.
func Decide(f Facts, now time.Time) Decision {
	t := &turn{f: f, now: now, s: *f.Record.Status.DeepCopy()}
	for _, rule := range rules {
		if rule.answer(t) {
			t.d.Rule = rule.name
			break
		}
	}
	if t.d.Act == None {
		t.s.SlotWanted = t.inLine
		t.forgetsAnnotation()
	}
	t.d.Status = t.s
	if t.d.Act == None && t.changed() {
		t.d.Status.ObservedGeneration = f.Record.Generation
		t.d.Store = true
	}
	return t.d
}

// changed reports whether the status differs from the one that was read.
func (t *turn) changed() bool { return !equality.Semantic.DeepEqual(t.s, t.f.Record.Status) }

// ended leaves nothing to do but to remove the finalizer and the label.
func (t *turn) ended() bool {
	if t.s.CompletionTime == nil {
		return false
	}
	_, open := t.f.Record.Labels[v1alpha1.OpenLabel]
	for _, finalizer := range t.f.Record.Finalizers {
		open = open || finalizer == v1alpha1.RemediationFinalizer
	}
	if open {
		return t.act(Close, v1alpha1.RemediationAttempt{}, v1alpha1.RemediationStep{})
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
	// DeleteMachine deletes a Machine that no controller owns.
	DeleteMachine Act = "DeleteMachine"
	// AnnotateReboot asks for a power cycle by the annotation reboot.metal3.io.
	AnnotateReboot Act = "AnnotateReboot"
	// CreateReboot makes a RebootRemediation.
	CreateReboot Act = "CreateReboot"
	// CreateRequest makes a remediation request from the template of the step.
	CreateRequest Act = "CreateRequest"
	// WithdrawMark removes OwnerRemediated.
	WithdrawMark Act = "WithdrawMark"
	// WithdrawReboot removes the annotation.
	WithdrawReboot Act = "WithdrawReboot"
	// WithdrawRequest deletes the object that an attempt made.
	WithdrawRequest Act = "WithdrawRequest"
	// Close removes the finalizer and the label of open records.
	Close Act = "Close"
)

// Begins reports whether an act changes a machine, so that everything it depends on must be read live first.
func (a Act) Begins() bool {
	switch a {
	case MarkForOwner, DeleteMachine, AnnotateReboot, CreateReboot, CreateRequest:
		return true
	default:
		return false
	}
}
