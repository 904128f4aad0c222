package ladder

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rules are asked in this order; the first that answers decides. One that does not answer may have changed the status for
// those after it.
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
	{"a person has to decide", (*turn).held},
	{"an attempt is waited for", (*turn).pending},
}

// Decide says what comes next for a record. It changes nothing in the facts.
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

// changed reports whether the status is to be another than the one that was read.
func (t *turn) changed() bool { return !equality.Semantic.DeepEqual(t.s, t.f.Record.Status) }

// ended leaves nothing to do but to take the finalizer and the label off.
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
