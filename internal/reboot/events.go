package reboot

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Reasons of the events on RebootRemediations. In addition, each phase emits an event with its name.
const (
	// EventStepFailed says that something could not be read or done, and why. It is retried, and reported again if the cause changes.
	EventStepFailed = "RebootStepFailed"
	// EventKeyLost says that somebody removed Sickbay's key from the host, so the proof that it is off starts again.
	EventKeyLost = "RebootKeyLost"
	// EventNodeGivenUp says that a deleted RebootRemediation has stayed for its Node long enough: what the Node had is not put back,
	// or its taint stays.
	EventNodeGivenUp = "RebootNodeGivenUp"
)

const eventAction = "Reboot"

// Reads that may fail, beside the actions.
const (
	// observing is reading the facts for a decision.
	observing = "Observe"
	// readRecord is reading whether the MachineRemediation that made the request has stored it.
	readRecord = "ReadRecord"
	// readOwner is reading whether a Cluster Autoscaler looks after the owner of the Machine.
	readOwner = "ReadOwner"
	// readPlane is reading the state of the other machines of a control plane.
	readPlane = "ReadControlPlane"
	// readMachine is reading the Machine of a recorded host, or its infrastructure machine.
	readMachine = "ReadMachine"
)

// announce emits events about the progress of a cycle.
func (r *Reconciler) announce(ctx context.Context, request *v1alpha1.RebootRemediation, before v1alpha1.RebootRemediationStatus) {
	now := request.Status
	if now.KeysLost > before.KeysLost {
		r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventKeyLost, eventAction, "Somebody removed Sickbay's key from host %s; Sickbay sets it again", now.Host.Name)
	}
	if now.Phase == before.Phase {
		return
	}
	message := conditions.Of(now.Conditions, v1alpha1.ConditionSucceeded).Message
	ctrl.LoggerFrom(ctx).Info("Phase changed", "from", before.Phase, "to", now.Phase, "message", message)
	eventType := corev1.EventTypeNormal
	if now.Phase == v1alpha1.Failed {
		eventType = corev1.EventTypeWarning
	}
	r.Recorder.Eventf(request, nil, eventType, string(now.Phase), eventAction, "%s", ownwrites.Note(message))
}

// announceNodeGivenUp emits an event if a deleted RebootRemediation stayed for its Node and the Node did not come back into service.
func (r *Reconciler) announceNodeGivenUp(v observed) {
	request := v.request
	if m := v.facts.Machine; !cycle.OwesNode(&request.Status) || m.Gone || (v.facts.MachineUnreadable == "" && m.UID != request.Status.MachineUID) {
		return
	}
	r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventNodeGivenUp, eventAction,
		"Node %s did not come back into service in time; Sickbay leaves it as it is", request.Status.Node.Name)
}

// report emits an event for what has failed, once per cause. If an object has just changed since it was read, there is nothing to report: the
// next look decides again.
func (r *Reconciler) report(request *v1alpha1.RebootRemediation, outcomes ...outcome) {
	key := client.ObjectKeyFromObject(request)
	for _, o := range outcomes {
		switch {
		case o.err == nil:
			r.memory.Succeed(key, string(o.of))
		case apierrors.IsConflict(o.err), errors.Is(o.err, remedy.ErrChanged), errors.Is(o.err, workload.ErrNoPlace):
		case r.memory.Fail(key, string(o.of), ownwrites.Cause(o.err), r.Clock.Now()):
			r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventStepFailed, eventAction, "%s", ownwrites.Note(string(o.of)+": "+o.err.Error()))
		}
	}
}
