package healthcheck

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// Transition is a change of a stored condition.
type Transition struct {
	// From is the condition before the change; it is empty if there was none.
	From Condition
	// To is the condition as stored now; it is empty if it was removed.
	To Condition
	// Result is the merged result behind To, in the checks' polarity: see
	// ConditionChecks.Negative.
	Result Result
	// At is the time right after the change was stored.
	At time.Time
}

// removes reports whether the condition was removed.
func (t Transition) removes() bool { return t.To.Type == "" }

// eventAction is the action of all Events of the engine, in the sense of
// events.k8s.io.
const eventAction = "HealthCheck"

// report counts and logs each transition, records its Event, and calls OnTransition.
func (r *Reconciler[T]) report(ctx context.Context, obj T, transitions []Transition) {
	for _, transition := range transitions {
		transition.At = r.Clock.Now()
		condition := transition.To
		if transition.removes() {
			condition.Type = transition.From.Type
		}
		if transition.From.Status != condition.Status {
			transitionsTotal.WithLabelValues(r.Name, condition.Type, string(transition.From.Status), string(condition.Status)).Inc()
			r.recordEvent(obj, condition)
		}
		ctrl.LoggerFrom(ctx).Info("Condition changed", "condition", condition.Type, "from", transition.From.Status,
			"to", condition.Status, "reason", condition.Reason, "message", condition.Message)
		if r.OnTransition != nil {
			r.OnTransition(ctx, obj, transition)
		}
	}
}

// recordEvent records an Event for the new status of a condition; a removed condition has none.
func (r *Reconciler[T]) recordEvent(obj T, condition Condition) {
	if r.Recorder == nil || condition.Status == "" {
		return
	}
	eventType := corev1.EventTypeNormal
	if r.isBad(condition) {
		eventType = corev1.EventTypeWarning
	}
	reason := cmp.Or(condition.Reason, reasonNotGiven)
	text := condition.Type + " is " + string(condition.Status)
	if condition.Message != "" {
		text += ": " + condition.Message
	}
	r.Recorder.Eventf(obj, nil, eventType, reason, eventAction, "%s", ownwrites.Note(text))
}
