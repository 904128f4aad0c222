package remediation

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/hangs"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Reasons of the events on Machines, or on their MachineRemediation once the Machine is gone.
const (
	// EventRemediationStarted says what an attempt asked for, and why.
	EventRemediationStarted = "RemediationStarted"
	// EventAttemptFailed says that an attempt did not help.
	EventAttemptFailed = "RemediationAttemptFailed"
	// EventRemediationDeferred says that an attempt could not be carried out, and is retried later.
	EventRemediationDeferred = "RemediationDeferred"
	// EventDeletionOverdue says that the deletion of a machine has taken more than an hour.
	EventDeletionOverdue = "RemediationDeletionOverdue"
	// EventRemediationHeld says that a person must decide.
	EventRemediationHeld = "RemediationHeld"
	// EventApprovalRequired says that a person must approve an attempt.
	EventApprovalRequired = "RemediationApprovalRequired"
	// EventRemediationEnded says how the remediation ended, unless the events of the Machine's recovery or end do.
	EventRemediationEnded = "RemediationEnded"
)

const eventAction = "Remediate"

// announce emits the events of a change, once for each transition.
func (r *Reconciler) announce(ctx context.Context, before, after *v1alpha1.MachineRemediation, v *view) {
	was, is := ladder.Progress(&before.Status), ladder.Progress(&after.Status)
	if before.Status.Phase != after.Status.Phase || was.Reason != is.Reason {
		ctrl.LoggerFrom(ctx).Info("Remediation goes on", "machine", after.Spec.MachineRef.Name, "phase", after.Status.Phase,
			"step", after.Status.Step, "attempt", after.Status.Attempt, "reason", is.Reason, "message", is.Message)
	}
	eventType, reason, text := eventFor(before, after, was, is)
	if reason == "" {
		return
	}
	var regarding, related runtime.Object = after, nil
	if v.machine != nil {
		regarding, related = v.machine, after
	}
	if reason == EventDeletionOverdue && v.machine != nil {
		text += deletionText(v.machine, v.cluster)
	}
	r.Recorder.Eventf(regarding, related, eventType, reason, eventAction, "%s", ownwrites.Note(text))
}

// deletionText says what a deletion that hangs waits for. The record's message leaves that out, since it changes with each Pod.
func deletionText(machine *clusterv1.Machine, cluster *clusterv1.Cluster) string {
	d, deleting := hangs.OfDeletion(machine, cluster)
	if !deleting {
		return ""
	}
	text := ". " + d.Does()
	if quotes := d.Quotes(); quotes != "" {
		text += ": " + quotes
	}
	return text
}

// eventOf maps a new reason of a record to its event.
var eventOf = map[string]struct{ eventType, reason string }{
	v1alpha1.ReasonApprovalRequired: {corev1.EventTypeNormal, EventApprovalRequired},
	v1alpha1.ReasonDeletionOverdue:  {corev1.EventTypeWarning, EventDeletionOverdue},
}

// eventFor returns the event for a transition, if there is one.
func eventFor(before, after *v1alpha1.MachineRemediation, was, is metav1.Condition) (eventType, reason, text string) {
	last := ladder.Last(&after.Status)
	switch {
	case askedSince(before, last):
		return corev1.EventTypeNormal, EventRemediationStarted, startedText(after, is.Message)
	case after.Status.Phase == v1alpha1.RemediationEnded:
		return endedEvent(before, after)
	case after.Status.Phase == v1alpha1.RemediationHeld && before.Status.Phase != v1alpha1.RemediationHeld:
		return corev1.EventTypeWarning, EventRemediationHeld, is.Message
	case was.Reason != is.Reason && eventOf[is.Reason].reason != "":
		return eventOf[is.Reason].eventType, eventOf[is.Reason].reason, is.Message
	case last != nil && failed(last) && resultOf(before, last.Number) != last.Result:
		return corev1.EventTypeWarning, EventAttemptFailed, "Step " + last.Step + ": " + last.Message
	case deferred(before, after, is):
		return corev1.EventTypeWarning, EventRemediationDeferred, is.Message
	}
	return "", "", ""
}

// deferred reports whether a record released its slot because its act failed or was not allowed. The MachineHealthCheck itself
// reports what stops all of its machines.
func deferred(before, after *v1alpha1.MachineRemediation, is metav1.Condition) bool {
	if last := ladder.Last(&after.Status); last != nil && failed(last) && strings.HasPrefix(is.Message, last.Message) {
		// The failed attempt has been announced already.
		return false
	}
	return after.Status.ReleasedGrant > before.Status.ReleasedGrant &&
		(is.Reason == v1alpha1.ReasonBackoff || is.Reason == v1alpha1.ReasonRemediationHeldByOthers)
}

// askedSince reports whether Sickbay has asked for the latest attempt since. One that is over and that nobody began may show what another before it
// asked for.
func askedSince(before *v1alpha1.MachineRemediation, last *v1alpha1.RemediationAttempt) bool {
	if last == nil || last.ObjectRef == nil || last.Result == v1alpha1.ResultNotBegun {
		return false
	}
	was := ladder.Numbered(before, last.Number)
	return was == nil || was.ObjectRef == nil
}

func startedText(r *v1alpha1.MachineRemediation, message string) string {
	if by := r.Spec.RequestedBy; by != nil {
		return message + ". Asked for by " + by.String()
	}
	return message + ". MachineHealthCheck " + r.Spec.HealthCheckRef.Name + ": " + r.Spec.Finding.Message
}

// endedEvent says how a record ended. Other events say that a machine is healthy or replaced.
func endedEvent(before, after *v1alpha1.MachineRemediation) (eventType, reason, text string) {
	if before.Status.CompletionTime != nil {
		return "", "", ""
	}
	switch succeeded := ladder.Success(&after.Status); succeeded.Reason {
	case v1alpha1.ReasonUnproven, v1alpha1.ReasonReplacementFailed, v1alpha1.ReasonNotDone:
		return corev1.EventTypeWarning, EventRemediationEnded, succeeded.Message
	case v1alpha1.ReasonHandedBack, v1alpha1.ReasonCancelled, v1alpha1.ReasonDone, v1alpha1.ReasonSuperseded, v1alpha1.ReasonHandedOver:
		return corev1.EventTypeNormal, EventRemediationEnded, succeeded.Message
	}
	return "", "", ""
}

func failed(attempt *v1alpha1.RemediationAttempt) bool {
	return attempt.Result == v1alpha1.ResultFailed || attempt.Result == v1alpha1.ResultTimedOut || attempt.Result == v1alpha1.ResultImpossible
}

func resultOf(r *v1alpha1.MachineRemediation, number int32) v1alpha1.AttemptResult {
	if attempt := ladder.Numbered(r, number); attempt != nil {
		return attempt.Result
	}
	return ""
}
