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
)

// Reasons of the events on ClusterVersions, MachineConfigPools and Clusters.
const (
	// EventUnreadable says why Sickbay cannot tell whether an upgrade is in progress.
	EventUnreadable = "UpgradeSignalUnreadable"
	// EventReadable says that Sickbay can tell again.
	EventReadable = "UpgradeSignalReadable"
)

const eventAction = "PauseForUpgrade"

// eventOf has the event for each transition; the others have none.
var eventOf = map[pause.Transition]struct{ kind, reason string }{
	pause.Begin:      {corev1.EventTypeNormal, EventPaused},
	pause.End:        {corev1.EventTypeNormal, EventResumed},
	pause.Settling:   {corev1.EventTypeNormal, EventSettling},
	pause.Overridden: {corev1.EventTypeNormal, EventOverridden},
	pause.Warn:       {corev1.EventTypeWarning, EventTooLong},
}

// announce emits the event and the log line about a decision.
func (r *Reconciler) announce(ctx context.Context, check *metav1.PartialObjectMetadata, f pause.Facts, d pause.Decision, now time.Time) {
	event, ok := eventOf[d.Transition]
	if !ok {
		return
	}
	text := pause.Message(f, d, now)
	ctrl.LoggerFrom(ctx).Info("Pause for an upgrade changed", "reason", event.reason, "message", text)
	r.Recorder.Eventf(check, nil, event.kind, event.reason, eventAction, "%s", ownwrites.Note(text))
}

// announceSignal updates the metrics for a reading, and reports if the signal has become unreadable, or readable again.
func (r *Reconciler) announceSignal(ctx context.Context, reading pause.Reading) {
	subject := reading.Subject
	measureSignal(reading)
	key := client.ObjectKey{Namespace: subject.Namespace, Name: subject.Name}
	kind, reason, text := corev1.EventTypeNormal, EventReadable, "Sickbay can tell again whether an upgrade is in progress"
	changed := reading.Err == nil && r.unreadable.Succeed(key, subject.Kind)
	if reading.Err != nil {
		kind, reason = corev1.EventTypeWarning, EventUnreadable
		text = "Sickbay cannot tell whether an upgrade is in progress, so it leaves MachineHealthChecks as they are: " + reading.Err.Error()
		changed = r.unreadable.Fail(key, subject.Kind, "", r.Clock.Now())
	}
	if changed {
		ctrl.LoggerFrom(ctx).Info("Signal of upgrades changed", "signal", subject.Kind, "key", key, "reason", reason, "message", text)
		r.Recorder.Eventf(subject, nil, kind, reason, eventAction, "%s", ownwrites.Note(text))
	}
}
