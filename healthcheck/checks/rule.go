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

// Rule judges one object by its content alone, without clock or client. It must not change the object, and
// must be safe for concurrent use. It returns Unknown for what it cannot judge. O is a kind of object, or
// facts about several.
type Rule[O any] func(obj O) healthcheck.Result

// Tolerate returns a rule that allows time for problems: a result that is False or Progressing for one of
// the reasons becomes Progressing, and False after d, whether it advances or not; one that was False then keeps its reason. If d is
// zero or negative, it is False at once. Without reasons, this applies to all of them.
func Tolerate[O any](d time.Duration, rule Rule[O], reasons ...string) Rule[O] {
	if rule == nil {
		return nil // A registration refuses it.
	}
	return func(obj O) healthcheck.Result {
		r := rule(obj)
		bad := r.Status == healthcheck.False || r.Status == healthcheck.Progressing
		if !bad || (len(reasons) > 0 && !slices.Contains(reasons, r.Reason)) {
			return r
		}
		if r.Status == healthcheck.False {
			r.Overdue = r.Reason
		}
		r.Status, r.Within, r.Left, r.Deadline = healthcheck.Progressing, d, 0, time.Time{}
		if d <= 0 {
			r.Status, r.Within, r.Cause, r.Overdue = healthcheck.False, 0, "", ""
		}
		return r
	}
}

// VerdictChanged returns a predicate for a watch on objects that one or more rules judge. Of the updates, it passes those after
// which one of the rules gives another result than before, and those that change labels or owners: the object may belong to
// another one then. So an object that only counts its replicas up or down leads to no look. Name all rules of the registration
// that judge the kind: no look follows an update that none of the named ones notices.
//
// All creations and deletions pass, all events of objects of another type, and updates at which a rule panics, so that the check
// reports the panic.
func VerdictChanged[O client.Object](rule Rule[O], more ...Rule[O]) predicate.Predicate {
	rules := append([]Rule[O]{rule}, more...)
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
		return concerns(before, after) || slices.ContainsFunc(rules, func(rule Rule[O]) bool { return !same(rule(before), rule(after)) })
	}}
}

// concerns reports whether the labels or owners of an object have changed.
func concerns(before, after client.Object) bool {
	return !maps.Equal(before.GetLabels(), after.GetLabels()) ||
		!equality.Semantic.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
}

// same reports whether two results are equal in every field but Left: the engine asks for that when the time is over.
func same(a, b healthcheck.Result) bool {
	if !a.Deadline.Equal(b.Deadline) || !a.RecheckAt.Equal(b.RecheckAt) {
		return false
	}
	a.Deadline, a.RecheckAt, a.Left = b.Deadline, b.RecheckAt, b.Left
	return reflect.DeepEqual(a, b)
}
