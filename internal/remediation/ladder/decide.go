package ladder

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// rules are asked in this order; the first that answers decides.
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
	t.d.Status = t.s
	if t.d.Act == None && !equality.Semantic.DeepEqual(t.s, f.Record.Status) {
		t.d.Status.ObservedGeneration = f.Record.Generation
		t.d.Store = true
	}
	return t.d
}

// turn is one decision in the making.
type turn struct {
	f   Facts
	now time.Time
	// s is the status as it should be.
	s v1alpha1.MachineRemediationStatus
	d Decision
}

// time is now as the API stores it.
func (t *turn) time() *metav1.Time { return new(metav1.NewTime(t.now.Truncate(time.Second))) }

// after is a moment in the future as the API stores it, and when to look again.
func (t *turn) after(wait time.Duration) *metav1.Time {
	at := metav1.NewTime(t.now.Truncate(time.Second).Add(wait))
	t.recheck(at.Time)
	return &at
}

func (t *turn) recheck(at time.Time) { t.d.RecheckAt = healthcheck.Earliest(t.d.RecheckAt, at) }

// act asks for one act for an attempt, which leaves the status as it is.
func (t *turn) act(what Act, attempt v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	t.s = *t.f.Record.Status.DeepCopy()
	t.d.Act, t.d.Attempt, t.d.Step = what, attempt, step
	return true
}

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
