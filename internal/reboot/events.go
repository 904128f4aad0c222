package reboot

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// Reasons of the events on RebootRemediations. Beside them, each phase is an event with its name.
const (
	// EventStepFailed says that something could not be read or done, and why; it is tried again, and told again if the cause is another.
	EventStepFailed = "RebootStepFailed"
	// EventKeyLost says that somebody took our key from the host, so the proof that it is off begins anew.
	EventKeyLost = "RebootKeyLost"
	// EventNodeGivenUp says that a RebootRemediation that was deleted has stayed for its Node long enough: what the Node had is
	// not put back, or its taint stays.
	EventNodeGivenUp = "RebootNodeGivenUp"
)

const eventAction = "Reboot"

// What may fail beside the actions.
const (
	// observing is reading what a decision goes by.
	observing = "Observe"
	// readPauses is reading whether an attempt may begin.
	readPauses = "ReadPauses"
	// readRecord is reading whether the MachineRemediation that made the request has stored that.
	readRecord = "ReadRecord"
	// readPlane is reading how the rest of a control plane is.
	readPlane = "ReadControlPlane"
	// readHealth is reading whether a Machine of OpenShift has recovered.
	readHealth = "ReadHealth"
	// readMachine is reading the Machine, or its infrastructure machine, of a host that is recorded.
	readMachine = "ReadMachine"
)

// announce tells people how far a cycle has come.
func (r *Reconciler) announce(ctx context.Context, request *v1alpha1.RebootRemediation, before v1alpha1.RebootRemediationStatus) {
	now := request.Status
	if now.KeysLost > before.KeysLost {
		r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventKeyLost, eventAction, "Somebody took our key from the host %s; it is set again", now.Host.Name)
	}
	if now.Phase == before.Phase && now.Attempt == before.Attempt {
		return
	}
	message := ""
	if c := meta.FindStatusCondition(now.Conditions, v1alpha1.ConditionSucceeded); c != nil {
		message = c.Message
	}
	ctrl.LoggerFrom(ctx).Info("Phase changed", "from", before.Phase, "to", now.Phase, "attempt", now.Attempt, "message", message)
	eventType := corev1.EventTypeNormal
	if now.Phase == v1alpha1.Failed || now.Phase == v1alpha1.CoolingDown {
		eventType = corev1.EventTypeWarning
	}
	r.Recorder.Eventf(request, nil, eventType, string(now.Phase), eventAction, "%s", ownwrites.Note(message))
}

// failed tells people that a step could not be taken, once, and reports whether it is new. If something has only changed since
// it was read, there is nothing to tell: it is judged anew.
func (r *Reconciler) failed(request *v1alpha1.RebootRemediation, action cycle.Action, err error) bool {
	if apierrors.IsConflict(err) || errors.Is(err, remedy.ErrChanged) || errors.Is(err, errBusy) {
		return false
	}
	if !r.failures.Fail(client.ObjectKeyFromObject(request), action, ownwrites.Cause(err), r.Clock.Now()) {
		return false
	}
	r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventStepFailed, eventAction, "%s", ownwrites.Note(string(action)+": "+err.Error()))
	return true
}
