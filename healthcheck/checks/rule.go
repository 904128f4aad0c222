package checks

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Rule judges one object by what is in it and nothing else: no clock, no client. It
// does not change the object, and is safe for concurrent use. What it cannot judge is
// Unknown. O is a kind of object, or facts about several.
type Rule[O any] func(obj O) healthcheck.Result

// Tolerate returns the rule with time for what is wrong: a result that is False or
// Progressing for one of the reasons is Progressing, and False after d; what was False
// keeps its reason then. If d is zero or less it is False at once. Without reasons, all of them are meant.
func Tolerate[O any](d time.Duration, rule Rule[O], reasons ...string) Rule[O] {
	return func(obj O) healthcheck.Result {
		r := rule(obj)
		bad := r.Status == healthcheck.False || r.Status == healthcheck.Progressing
		if !bad || (len(reasons) > 0 && !slices.Contains(reasons, r.Reason)) {
			return r
		}
		if r.Status == healthcheck.False {
			r.Overdue = r.Reason
		}
		r.Status, r.Within, r.Deadline = healthcheck.Progressing, d, time.Time{}
		if d <= 0 {
			r.Status, r.Within, r.Cause, r.Overdue = healthcheck.False, 0, "", ""
		}
		return r
	}
}

// VerdictChanged is a predicate for watches on objects that a rule judges. Of the
// updates it lets those pass after which the rule says something else, or after which the
// object may concern others, as its labels or its owners have changed. Creations and
// deletions always pass, and so does what is of another type. A rule that panics lets
// all pass: the check will say so.
func VerdictChanged[O client.Object](rule Rule[O]) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) (passes bool) {
		before, isBefore := e.ObjectOld.(O)
		after, isAfter := e.ObjectNew.(O)
		if !isBefore || !isAfter {
			return true
		}
		defer func() {
			if recover() != nil {
				passes = true
			}
		}()
		return concerns(before, after) || !same(rule(before), rule(after))
	}}
}

// concerns reports whether an object has changed in what it is found by.
func concerns(before, after client.Object) bool {
	return !maps.Equal(before.GetLabels(), after.GetLabels()) ||
		!equality.Semantic.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
}

// same compares all that is in two results.
func same(a, b healthcheck.Result) bool {
	if !a.Deadline.Equal(b.Deadline) || !a.RecheckAt.Equal(b.RecheckAt) {
		return false
	}
	a.Deadline, a.RecheckAt = b.Deadline, b.RecheckAt
	return reflect.DeepEqual(a, b)
}
