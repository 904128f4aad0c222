package intake

import (
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

const (
	// EventRefused says on a Machine why nothing is done for an annotation that asks for a power cycle.
	EventRefused = "PowerCycleRefused"
	// EventUnsolved says on a Machine of OpenShift that power-cycling its host has not healed it, or that somebody else cycles hosts for its
	// health check, and that Sickbay does nothing more.
	EventUnsolved = "ExternalRemediationUnsolved"

	eventAction = "Intake"
)

// announce emits an event if an annotation is refused, once for each reason, and if a power cycle has not helped.
func (r *Reconciler) announce(machine *clusterv1.Machine, d ask.Decision) {
	switch {
	case d.Act == ask.Refuse:
		if key := client.ObjectKeyFromObject(machine); r.refused.Get(key) != d.Message {
			r.refused.Set(key, d.Message)
			r.Recorder.Eventf(machine, nil, corev1.EventTypeWarning, EventRefused, eventAction, "%s", d.Message)
		}
	case d.Act == ask.Note && d.Unsolved:
		r.Recorder.Eventf(machine, nil, corev1.EventTypeWarning, EventUnsolved, eventAction, "%s", ownwrites.Note(d.Message))
	}
}
