package machinehealthcheck

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// Reasons of the events on MachineHealthChecks.
const (
	// EventRestricted says that sick Machines are not repaired, because too many or too few are unhealthy.
	EventRestricted = "RemediationRestricted"
	// EventAllowed says that remediation is allowed again.
	EventAllowed = "RemediationAllowed"
	// EventInvalidConfiguration says which setting is invalid.
	EventInvalidConfiguration = "InvalidConfiguration"
	// EventKindsNotInstalled says that nothing can be repaired, because the kinds that record repairs are not installed.
	EventKindsNotInstalled = "KindsNotInstalled"
	// EventOnHold says that the annotation sickbay.dev/hold-until has put remediation on hold.
	EventOnHold = "RemediationOnHold"
	// EventTemplateNotFound says that the remediation template does not exist.
	EventTemplateNotFound = "RemediationTemplateNotFound"
	// EventAdmissionFailed says that a machine is due and could not be admitted.
	EventAdmissionFailed = "AdmissionFailed"
	// EventOwnerRefused says that the API server does not let Sickbay make the MachineHealthCheck owned by its Cluster.
	EventOwnerRefused = "OwnerRefused"
	// EventSignalSuspected says that too many Nodes show a condition at once, so that nothing is repaired for it.
	EventSignalSuspected = "SignalSuspected"
	// EventOverlapping says that a MachineHealthCheck of another controller has Machines to itself.
	EventOverlapping = "Overlapping"
)

const eventAction = "Remediate"

// announce emits the events of a change, once for each transition.
func (r *Reconciler) announce(ctx context.Context, mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) {
	for _, now := range desired.Conditions {
		before := meta.FindStatusCondition(mhc.Status.Conditions, now.Type)
		if before != nil && before.Status == now.Status && before.Reason == now.Reason {
			continue
		}
		ctrl.LoggerFrom(ctx).Info("Condition changed", "condition", now.Type, "status", now.Status, "reason", now.Reason, "message", now.Message)
		if eventType, reason := eventFor(before, now); reason != "" {
			r.event(mhc, nil, eventType, reason, now.Message)
		}
	}
}

func (r *Reconciler) event(regarding client.Object, related runtime.Object, eventType, reason, text string) {
	r.Recorder.Eventf(regarding, related, eventType, reason, eventAction, "%s", ownwrites.Note(text))
}

// eventFor returns the event for a transition, if there is one.
func eventFor(before *metav1.Condition, now metav1.Condition) (eventType, reason string) {
	switch now.Reason {
	case admission.ReasonInvalidConfiguration:
		return corev1.EventTypeWarning, EventInvalidConfiguration
	case admission.ReasonKindsNotInstalled:
		return corev1.EventTypeWarning, EventKindsNotInstalled
	case admission.ReasonOnHold:
		return corev1.EventTypeNormal, EventOnHold
	case admission.ReasonTooManyUnhealthy, admission.ReasonTooFewUnhealthy:
		return corev1.EventTypeWarning, EventRestricted
	case admission.ReasonRemediationAllowed:
		if before != nil && before.Reason != admission.ReasonNoneSick {
			return corev1.EventTypeNormal, EventAllowed
		}
	case admission.ReasonTemplateNotFound:
		return corev1.EventTypeWarning, EventTemplateNotFound
	case admission.ReasonSignalSuspected:
		return corev1.EventTypeWarning, EventSignalSuspected
	case admission.ReasonNotHandedOver:
		return corev1.EventTypeWarning, EventOverlapping
	}
	return "", ""
}
