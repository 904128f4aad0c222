// Package kstatus judges objects of any kind by the rules of kstatus, a library that
// kubectl-like tools wait with. It knows the workloads of Kubernetes, and of other kinds
// the conventions: observedGeneration, and the conditions Reconciling, Stalled and
// Ready.
//
// Its question is another one than that of the rules in package checks: whether an
// object has become what its spec says. A Deployment is not healthy while it rolls
// out, even if all it has to do is being done.
//
// kstatus calls an object without any of the conventions current: there is nothing
// about it that could be otherwise. For a kind whose controller sets condition Ready
// this passes what nobody has looked at yet; take [Ready] for those.
package kstatus

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// The reasons of the results. They are the statuses of kstatus. A status that kstatus
// cannot tell is Unknown, with healthcheck.ReasonCheckFailed.
const (
	// ReasonCurrent is True.
	ReasonCurrent = "Current"
	// ReasonInProgress is Progressing, for checks.RolloutWithin.
	ReasonInProgress = "InProgress"
	// ReasonFailed is False.
	ReasonFailed = "Failed"
	// ReasonTerminating is Progressing, for checks.DrainedWithin.
	ReasonTerminating = "Terminating"
	// ReasonNoReady is Progressing, for checks.ObservedWithin.
	ReasonNoReady = "NoReadyCondition"
)

// Rule judges an object by kstatus. It needs apiVersion and kind, and is Unknown
// without. For typed objects there is checks.Generic, and for other times, or to have a
// terminating object False at once, checks.Tolerate.
//
// In two things it is stricter than kstatus: a Pod that has failed is False, and a
// workload whose controller has never looked at it is Progressing.
func Rule(u *unstructured.Unstructured) (r healthcheck.Result) {
	// kstatus takes it for granted that lists of containers are well-formed.
	defer func() {
		if recovered := recover(); recovered != nil {
			r = unknown(fmt.Sprintf("kstatus cannot read it: %v", recovered))
		}
	}()
	if u.GetKind() == "" || u.GetAPIVersion() == "" {
		return unknown("It has no apiVersion or kind")
	}
	computed, err := status.Compute(u)
	if err != nil {
		return unknown(err.Error())
	}
	r = resultOf(computed)
	if r.Status == healthcheck.True {
		return stricter(u, r)
	}
	if u.GroupVersionKind().GroupKind() == pod && r.Status == healthcheck.Progressing {
		// A Pod that cannot be scheduled fails by the clock.
		r.RecheckAt = u.GetCreationTimestamp().Add(status.ScheduleWindow)
	}
	return r
}

// Ready is Rule for kinds whose controllers set condition Ready: an object without it is
// Progressing.
func Ready(u *unstructured.Unstructured) healthcheck.Result {
	r := Rule(u)
	if r.Status != healthcheck.True {
		return r
	}
	// It can be read: Rule has done so.
	read, err := status.GetObjectWithConditions(u.Object)
	if err != nil {
		return unknown(err.Error())
	}
	for _, c := range read.Status.Conditions {
		if c.Type == "Ready" {
			return r
		}
	}
	return healthcheck.Result{
		Status: healthcheck.Progressing, Within: checks.ObservedWithin,
		Reason: ReasonNoReady, Message: "Condition Ready is missing",
	}
}

var pod = schema.GroupKind{Kind: "Pod"}

// observes are the kinds that kstatus knows which have an observed generation; it takes
// one that is not there for none.
var observes = map[schema.GroupKind]bool{
	{Group: "apps", Kind: "Deployment"}:            true,
	{Group: "apps", Kind: "DaemonSet"}:             true,
	{Group: "apps", Kind: "StatefulSet"}:           true,
	{Group: "apps", Kind: "ReplicaSet"}:            true,
	{Group: "policy", Kind: "PodDisruptionBudget"}: true,
}

// stricter looks again at what kstatus calls current.
func stricter(u *unstructured.Unstructured, r healthcheck.Result) healthcheck.Result {
	kind := u.GroupVersionKind().GroupKind()
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	if kind == pod && phase == "Failed" {
		return healthcheck.Result{Status: healthcheck.False, Reason: ReasonFailed, Message: "Pod has completed, but not successfully"}
	}
	_, seen, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if observes[kind] && !seen && u.GetGeneration() > 0 {
		return healthcheck.Result{
			Status: healthcheck.Progressing, Within: checks.ObservedWithin,
			Reason: checks.ReasonNotObserved, Message: fmt.Sprintf("No generation was observed yet, of %d", u.GetGeneration()),
		}
	}
	return r
}

// resultOf is the table from one set of statuses to the other.
func resultOf(computed *status.Result) healthcheck.Result {
	r := healthcheck.Result{Message: wordsOf(computed)}
	switch computed.Status {
	case status.CurrentStatus:
		r.Status, r.Reason, r.Message = healthcheck.True, ReasonCurrent, ""
	case status.InProgressStatus:
		r.Status, r.Reason, r.Within = healthcheck.Progressing, ReasonInProgress, checks.RolloutWithin
		r.Message = uncounted(r.Message)
	case status.TerminatingStatus:
		r.Status, r.Reason, r.Within = healthcheck.Progressing, ReasonTerminating, checks.DrainedWithin
	case status.FailedStatus:
		r.Status, r.Reason = healthcheck.False, ReasonFailed
	case status.NotFoundStatus:
		r.Status, r.Reason = healthcheck.False, checks.ReasonNotFound
	default:
		return unknown("kstatus says " + computed.Status.String())
	}
	return r
}

// What kstatus says of a roll-out that gets on counts, as "Updated: 1/3".
var (
	counter = regexp.MustCompile(`^(\w+): \d+/(\d+)$`)
	surplus = regexp.MustCompile(`^(Pending termination): \d+$`)
)

// uncounted is a text that stays the same while a roll-out gets on.
func uncounted(message string) string {
	return surplus.ReplaceAllString(counter.ReplaceAllString(message, "$1: fewer than $2"), "$1")
}

// wordsOf finds words for a condition that has no message.
func wordsOf(computed *status.Result) string {
	if computed.Message == "" && len(computed.Conditions) > 0 {
		return cmp.Or(computed.Conditions[0].Reason, computed.Status.String())
	}
	return cmp.Or(computed.Message, computed.Status.String())
}

func unknown(message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: message}
}
