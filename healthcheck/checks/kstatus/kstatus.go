// Package kstatus judges objects of any kind by the rules of kstatus, the library with
// which tools like kubectl wait for objects. It knows the workloads of Kubernetes. For
// other kinds it follows the conventions: observedGeneration, and the conditions
// Reconciling, Stalled and Ready.
//
// It asks another question than the rules in package checks: whether an object has become
// what its spec says. A Deployment that rolls out is not healthy, even if it does all its
// work.
//
// kstatus calls an object that follows none of the conventions current. So if the
// controller of a kind sets condition Ready, an object that the controller has not seen yet
// passes; use [Ready] for such kinds.
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

// Reasons of the results, after the statuses of kstatus. If kstatus cannot determine the
// status, the result is Unknown with healthcheck.ReasonCheckFailed.
const (
	// ReasonCurrent comes with True.
	ReasonCurrent = "Current"
	// ReasonInProgress comes with Progressing, for checks.RolloutWithin.
	ReasonInProgress = "InProgress"
	// ReasonFailed comes with False.
	ReasonFailed = "Failed"
	// ReasonTerminating comes with Progressing, for checks.DrainedWithin.
	ReasonTerminating = "Terminating"
	// ReasonNoReady comes with Progressing, for checks.ObservedWithin.
	ReasonNoReady = "NoReadyCondition"
)

// Rule judges an object by kstatus. An object without apiVersion and kind is Unknown. For
// typed objects, use checks.Generic. For other times, or to make a terminating object False
// at once, use checks.Tolerate.
//
// It is stricter than kstatus in two ways: a Pod that has failed is False, and a workload
// that its controller has never observed is Progressing.
func Rule(u *unstructured.Unstructured) (r healthcheck.Result) {
	// kstatus panics if a list of containers is malformed.
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
		// kstatus fails a Pod that cannot be scheduled after a fixed time.
		r.RecheckAt = u.GetCreationTimestamp().Add(status.ScheduleWindow)
	}
	return r
}

// Ready is Rule for kinds whose controllers set condition Ready: a healthy object without
// that condition is Progressing.
func Ready(u *unstructured.Unstructured) healthcheck.Result {
	r := Rule(u)
	if r.Status != healthcheck.True {
		return r
	}
	// Reading succeeds: Rule has done it.
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

// observes are the kinds known to kstatus that have an observed generation; kstatus accepts
// a missing one.
var observes = map[schema.GroupKind]bool{
	{Group: "apps", Kind: "Deployment"}:            true,
	{Group: "apps", Kind: "DaemonSet"}:             true,
	{Group: "apps", Kind: "StatefulSet"}:           true,
	{Group: "apps", Kind: "ReplicaSet"}:            true,
	{Group: "policy", Kind: "PodDisruptionBudget"}: true,
}

// stricter judges again what kstatus calls current.
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

// resultOf translates a status of kstatus.
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

// Messages of kstatus about a roll-out contain counts, such as "Updated: 1/3".
var (
	counter = regexp.MustCompile(`^(\w+): \d+/(\d+)$`)
	surplus = regexp.MustCompile(`^(Pending termination): \d+$`)
)

// uncounted returns a text that stays the same while a roll-out advances.
func uncounted(message string) string {
	return surplus.ReplaceAllString(counter.ReplaceAllString(message, "$1: fewer than $2"), "$1")
}

// wordsOf returns the message, or a substitute if there is none.
func wordsOf(computed *status.Result) string {
	if computed.Message == "" && len(computed.Conditions) > 0 {
		return cmp.Or(computed.Conditions[0].Reason, computed.Status.String())
	}
	return cmp.Or(computed.Message, computed.Status.String())
}

func unknown(message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: message}
}
