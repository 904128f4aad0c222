package machinehealth

import (
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// HostConditionType is the condition that says whether the bare-metal host of a Machine has an error. A host does not say since
// when it has one: its operator writes its status and its conditions anew with each attempt. So that is kept here.
const HostConditionType = "HostHealthy"

// steadyHost keeps that condition from turning True while an attempt is under way: meanwhile the operator says that there is no
// error, and an attempt that fails takes up to three minutes.
var steadyHost = healthcheck.Damping{Successes: 2, Interval: 3 * time.Minute}

// Reasons of that condition, beside ReasonHostError.
const (
	// ReasonHostHasNoError: the host has none.
	ReasonHostHasNoError = "NoError"
	// ReasonHostUnwatched: the host is paused or detached, so what it says may be old.
	ReasonHostUnwatched = "HostUnwatched"
)

// HostFacts is what is known of the BareMetalHost that runs a Machine; zero if there is none.
type HostFacts struct {
	Name string
	// Error is its error, by type and message, without what changes; empty if it has none.
	Error string
	// Unwatched tells that its operator does not look at it, since a person has asked for that.
	Unwatched bool
}

// hostFacts reads a BareMetalHost.
func hostFacts(host *metal3v1.BareMetalHost) HostFacts {
	facts := HostFacts{Name: host.Name}
	_, paused := host.Annotations[metal3v1.PausedAnnotation]
	_, detached := host.Annotations[metal3v1.DetachedAnnotation]
	if paused || detached {
		facts.Unwatched = true
		return facts
	}
	status := &host.Status
	if status.ErrorType == "" && status.OperationalStatus != metal3v1.OperationalStatusError {
		return facts
	}
	facts.Error = string(status.ErrorType)
	if facts.Error == "" {
		facts.Error = "error"
	}
	if status.ErrorMessage != "" {
		facts.Error += ": " + steady(status.ErrorMessage)
	}
	return facts
}

// ConsumerOf is who uses a host, as ConsumerOfMachine names it; empty if nobody does.
func ConsumerOf(host *metal3v1.BareMetalHost) string {
	ref := host.Spec.ConsumerRef
	if ref == nil || (ref.Namespace != "" && ref.Namespace != host.Namespace) {
		return ""
	}
	return consumer(ref.GroupVersionKind().Group, ref.Kind, ref.Name)
}

// ConsumerOfMachine is who uses the host of a Machine: its infrastructure machine.
func ConsumerOfMachine(machine *clusterv1.Machine) string {
	ref := &machine.Spec.InfrastructureRef
	return consumer(ref.APIGroup, ref.Kind, ref.Name)
}

func consumer(group, kind, name string) string { return group + "/" + kind + "/" + name }

// hostResult is what the condition says about a host.
func hostResult(host HostFacts) healthcheck.Result {
	switch {
	case host.Unwatched:
		return unknown(ReasonHostUnwatched, "Host "+host.Name+" is paused or detached: its operator does not look at it")
	case host.Error != "":
		return healthcheck.Result{Status: healthcheck.False, Reason: ReasonHostError, Message: "Host " + host.Name + " has an error: " + host.Error}
	}
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonHostHasNoError}
}

// hostSick reports whether the host of a Machine is judged, and the Machine says that it has an error.
func (f Facts) hostSick() bool {
	if f.Rules.HostErrorTimeout == 0 {
		return false
	}
	c := meta.FindStatusCondition(f.Machine.Status.Conditions, HostConditionType)
	return c != nil && c.Status == metav1.ConditionFalse
}

// host judges the error of a host by the time for which the Machine has said so. That goes on for a while after the last error, so a
// healthy Machine becomes unhealthy only while there is one.
func (found *findings) host(f Facts, now time.Time) {
	if !f.hostSick() || f.HostErrorGone {
		return
	}
	c := meta.FindStatusCondition(f.Machine.Status.Conditions, HostConditionType)
	since := later(countsSince(f, c.LastTransitionTime.Time, f.Machine.CreationTimestamp.Time), f.hostSeenSince(now))
	due := since.Add(f.Rules.HostErrorTimeout)
	if now.Before(due) {
		found.hostDue = due
		return
	}
	if f.HostQuiet && f.WasHealthy {
		return
	}
	found.unhealthy = append(found.unhealthy, finding{ReasonHostError, c.Message, due})
}

// hostSeenSince is since when Sickbay looks at the host without a break. While somebody pauses the Machine, its Cluster or its
// MachineHealthCheck, the condition stays as it is, whatever becomes of the host.
func (f Facts) hostSeenSince(now time.Time) time.Time {
	var since time.Time
	for _, paused := range []*metav1.Condition{f.Rules.Paused, meta.FindStatusCondition(f.Machine.Status.Conditions, clusterv1.PausedCondition)} {
		switch {
		case paused == nil:
		case paused.Status == metav1.ConditionTrue:
			return now // it has ended just now: otherwise nothing would be judged
		default:
			since = later(since, paused.LastTransitionTime.Time)
		}
	}
	return since
}
