package verdict

import (
	"slices"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// HostConditionType is the condition that says whether the bare-metal host of a Machine has an error. A host does not say when its error
// began: its operator rewrites its status and its conditions with each attempt. So the Machine stores that.
const HostConditionType = "HostHealthy"

// The other reasons of that condition; see also ReasonHostError.
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
	// Unwatched reports whether its operator ignores it because a person asked for that.
	Unwatched bool
}

// HostFactsOf returns the facts of a BareMetalHost.
func HostFactsOf(host *metal3v1.BareMetalHost) HostFacts {
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

// DecideHost returns the condition about a host.
func DecideHost(host HostFacts) healthcheck.Result {
	switch {
	case host.Unwatched:
		return unknown(ReasonHostUnwatched, "Host "+host.Name+" is paused or detached: its operator ignores it")
	case host.Error != "":
		return healthcheck.Result{Status: healthcheck.False, Reason: ReasonHostError, Message: "Host " + host.Name + " has an error: " + host.Error}
	}
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonHostHasNoError}
}

// HostSick reports whether errors of hosts are judged, and the Machine's condition says that its host has one.
func (f *Facts) HostSick() bool {
	judges := func(rules mhcspec.Rules) bool { return rules.HostErrorTimeout > 0 }
	if !judges(f.Rules) && !slices.ContainsFunc(f.More, judges) {
		return false
	}
	c := meta.FindStatusCondition(f.Machine.Status.Conditions, HostConditionType)
	return c != nil && c.Status == metav1.ConditionFalse
}

// hostError judges an error by how long the Machine's condition has shown it. The condition stays False for a while after the error has
// passed, so a healthy Machine becomes unhealthy only while there is an error now.
func (l look) hostError() findings {
	if !l.HostSick() || l.HostErrorGone {
		return findings{}
	}
	c := meta.FindStatusCondition(l.Machine.Status.Conditions, HostConditionType)
	since := healthcheck.Latest(l.countsSince(c.LastTransitionTime.Time, l.Machine.CreationTimestamp.Time, l.Rules.HostErrorTimeout), past(l.watchedSince(l.now), l.now))
	due := since.Add(l.Rules.HostErrorTimeout)
	switch {
	case l.now.Before(due):
		return findings{due: due}
	case l.HostQuiet && l.WasHealthy:
		return findings{}
	}
	return one(ReasonHostError, c.Message, due)
}

// watchedSince returns since when Sickbay has watched the host and the Node without a break. While the Machine, its Cluster or its
// MachineHealthCheck is paused, its conditions do not change, whatever happens to them.
func (f *Facts) watchedSince(now time.Time) time.Time {
	var since time.Time
	for _, paused := range []*metav1.Condition{f.Rules.Paused, meta.FindStatusCondition(f.Machine.Status.Conditions, clusterv1.PausedCondition)} {
		switch {
		case paused == nil:
		case paused.Status == metav1.ConditionTrue:
			return now // the pause has just ended: otherwise nothing would be judged
		default:
			since = healthcheck.Latest(since, paused.LastTransitionTime.Time)
		}
	}
	return since
}
