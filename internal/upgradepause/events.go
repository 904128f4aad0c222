package upgradepause

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/note"
)

// Reasons of the events on MachineHealthChecks.
const (
	// EventPaused says which upgrade a MachineHealthCheck is paused for.
	EventPaused = "PausedForUpgrade"
	// EventSettling says that the upgrade is over, or has halted, and for which Nodes the pause goes on.
	EventSettling = "UpgradeSettling"
	// EventResumed says that the pause is over and why, and that the timeouts of Sickbay count from now.
	EventResumed = "ResumedAfterUpgrade"
	// EventOverridden says that somebody has unpaused it, or has taken the pause over, and that this
	// holds until the upgrade is over.
	EventOverridden = "UpgradePauseOverridden"
	// EventTooLong says that a pause has become long; it is repeated every hour.
	EventTooLong = "UpgradePauseTooLong"
	// EventFought says that somebody takes all annotations of the pause away again and again, as a program does that replaces
	// them all. It is written once for an upgrade.
	EventFought = "UpgradePauseFought"
)

// Reasons of the events on ClusterVersions, MachineConfigPools and Clusters.
const (
	// EventUnreadable says why it cannot be told whether an upgrade is going on.
	EventUnreadable = "UpgradeSignalUnreadable"
	// EventReadable says that it can be told again.
	EventReadable = "UpgradeSignalReadable"
)

const eventAction = "PauseForUpgrade"

// announce tells people what was done.
func (r *Reconciler) announce(ctx context.Context, check *metav1.PartialObjectMetadata, f Facts, d Decision, now time.Time) {
	eventType, reason, text := eventFor(r.Kind, f, d, now)
	if reason == "" || (reason == EventFought && !r.fights.isNews(client.ObjectKeyFromObject(check))) {
		return
	}
	ctrl.LoggerFrom(ctx).Info("Pause for an upgrade changed", "reason", reason, "message", text)
	r.Recorder.Eventf(check, nil, eventType, reason, eventAction, "%s", note.Fit(text))
}

// eventFor returns the event that a decision deserves; no reason is none.
func eventFor(kind schema.GroupVersionKind, f Facts, d Decision, now time.Time) (eventType, reason, text string) {
	upgrades := f.texts()
	if d.Fought {
		return corev1.EventTypeWarning, EventFought,
			fmt.Sprintf("Somebody has taken all annotations of the pause away %d times, so it is written less and less often: %s", f.Lost.Count+1, upgrades)
	}
	switch d.Transition {
	case Pause:
		return corev1.EventTypeNormal, EventPaused, "Paused: " + upgrades + doubt(f.Annotations)
	case Resume:
		return corev1.EventTypeNormal, EventResumed, "Resumed: " + whyResumed(kind, f)
	case StaySettling:
		return corev1.EventTypeNormal, EventSettling,
			fmt.Sprintf("The upgrade %s. Stays paused until all Nodes are Ready, or for %s; %s", f.outcome(), f.Settle.Within, f.Settle.waits())
	case Overridden:
		if holderOf(f.Annotations) == somebody {
			return corev1.EventTypeNormal, EventOverridden, "The pause is somebody else's now, and stays when this is over: " + upgrades
		}
		return corev1.EventTypeNormal, EventOverridden, "Unpaused by somebody, and not paused again until this is over: " + upgrades
	case Warn:
		return corev1.EventTypeWarning, EventTooLong,
			fmt.Sprintf("Paused for %s, and nothing is remediated meanwhile: %s", now.Sub(d.PausedAt).Truncate(time.Minute), upgrades)
	default:
		return "", "", ""
	}
}

// whyResumed says what has ended the pause, and from when timeouts count.
func whyResumed(kind schema.GroupVersionKind, f Facts) string {
	why := "the upgrade " + f.outcome()
	switch going := len(f.ids(false))+len(f.undecided()) > 0; {
	case going:
		why = "excepted by " + OptionAnnotation
		if f.Excepted {
			why += " of its Cluster"
		}
	case !f.excepted():
		why += f.Settle.ending()
	}
	if kind == ClusterAPIKind && f.Settle.Within <= 0 {
		// Other controllers, which look after the rest, know nothing of that.
		why += "; Sickbay's timeouts count from now"
	}
	return why
}

// outcome says what has become of the upgrades that do not go on any more.
func (f Facts) outcome() string {
	if len(f.withHalted(nil)) > 0 {
		return "has halted"
	}
	return "is over"
}

// texts says which upgrades go on, and which of those that are noted may.
func (f Facts) texts() string {
	var parts []string
	for _, u := range f.Upgrades {
		if !u.Halted {
			parts = append(parts, strings.TrimSuffix(u.Text+"; "+u.Stuck, "; "))
		}
	}
	for _, u := range f.Unknown {
		if len((Facts{Annotations: f.Annotations, Unknown: []Unknown{u}}).undecided()) > 0 && u.Why != "" {
			parts = append(parts, "whether an upgrade is over cannot be told: "+u.Why)
		}
	}
	return strings.Join(parts, "; ")
}

// doubt says that the owner's wish cannot be understood.
func doubt(annotations map[string]string) string {
	value, ok := annotations[OptionAnnotation]
	if !ok || value == "true" || value == "false" {
		return ""
	}
	return fmt.Sprintf("; annotation %s is %q and has no effect: it must be %q or %q", OptionAnnotation, value, "true", "false")
}
