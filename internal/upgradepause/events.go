package upgradepause

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// Reasons of the events on MachineHealthChecks.
const (
	// EventPaused says which upgrade a MachineHealthCheck is paused for.
	EventPaused = "PausedForUpgrade"
	// EventSettling says that the upgrade is over or has halted, and which Nodes the pause is waiting for.
	EventSettling = "UpgradeSettling"
	// EventResumed says that the pause is over, and why. If Sickbay manages the machines, its timeouts count from now.
	EventResumed = "ResumedAfterUpgrade"
	// EventOverridden says that somebody has unpaused the MachineHealthCheck or taken over the pause, and that this holds
	// until the upgrade is over.
	EventOverridden = "UpgradePauseOverridden"
	// EventTooLong says that a pause lasts too long; it is repeated every hour.
	EventTooLong = "UpgradePauseTooLong"
	// EventFought says that somebody keeps removing all annotations of the pause, like a program that replaces all
	// annotations. It is emitted once for an upgrade.
	EventFought = "UpgradePauseFought"
)

// Reasons of the events on ClusterVersions, MachineConfigPools and Clusters.
const (
	// EventUnreadable says why Sickbay cannot tell whether an upgrade is in progress.
	EventUnreadable = "UpgradeSignalUnreadable"
	// EventReadable says that Sickbay can tell again.
	EventReadable = "UpgradeSignalReadable"
)

const eventAction = "PauseForUpgrade"

// announce emits the event and the log line about a decision.
func (r *Reconciler) announce(ctx context.Context, check *metav1.PartialObjectMetadata, f pause.Facts, d pause.Decision, now time.Time) {
	eventType, reason := eventFor(d)
	if reason == "" || (reason == EventFought && !r.fights.isNews(client.ObjectKeyFromObject(check))) {
		return
	}
	text := pause.Message(f, d, now)
	ctrl.LoggerFrom(ctx).Info("Pause for an upgrade changed", "reason", reason, "message", text)
	r.Recorder.Eventf(check, nil, eventType, reason, eventAction, "%s", ownwrites.Note(text))
}

// eventFor returns the event for a decision; an empty reason means none.
func eventFor(d pause.Decision) (eventType, reason string) {
	if d.Fought {
		return corev1.EventTypeWarning, EventFought
	}
	switch d.Transition {
	case pause.Begin:
		return corev1.EventTypeNormal, EventPaused
	case pause.End:
		return corev1.EventTypeNormal, EventResumed
	case pause.Settling:
		return corev1.EventTypeNormal, EventSettling
	case pause.Overridden:
		return corev1.EventTypeNormal, EventOverridden
	case pause.Warn:
		return corev1.EventTypeWarning, EventTooLong
	default:
		return "", ""
	}
}

// announceSignal updates the metrics for a reading, and reports if the signal has become unreadable, or readable again.
func (r *Reconciler) announceSignal(ctx context.Context, reading pause.Reading) {
	if reading.Subject == nil {
		return
	}
	measureSignal(reading)
	subject := reading.Subject
	if !r.turned(client.ObjectKey{Namespace: subject.Namespace, Name: subject.Name}, subject.Kind, reading.Err != nil) {
		return
	}
	log := ctrl.LoggerFrom(ctx).WithValues("signal", subject.Kind, "signalNamespace", subject.Namespace, "signalName", subject.Name)
	if reading.Err == nil {
		log.Info("Sickbay can tell again whether an upgrade is in progress")
		r.Recorder.Eventf(subject, nil, corev1.EventTypeNormal, EventReadable, eventAction, "Sickbay can tell again whether an upgrade is in progress")
		return
	}
	log.Info("Sickbay cannot tell whether an upgrade is in progress, so it leaves MachineHealthChecks as they are", "cause", reading.Err.Error())
	r.Recorder.Eventf(subject, nil, corev1.EventTypeWarning, EventUnreadable, eventAction,
		"%s", ownwrites.Note("Sickbay cannot tell whether an upgrade is in progress, so it leaves MachineHealthChecks as they are: "+reading.Err.Error()))
}

// turned reports whether the signal has become unreadable, or readable again.
func (r *Reconciler) turned(key client.ObjectKey, kind string, unreadable bool) bool {
	if unreadable {
		return r.unreadable.Fail(key, kind, "", r.Clock.Now())
	}
	return r.unreadable.Succeed(key, kind)
}
