package machinehealth

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/hangs"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Reasons of the events on Machines.
const (
	// EventUnhealthy says that a Machine has become unhealthy, and why.
	EventUnhealthy = "MachineUnhealthy"
	// EventHealthy says that it has recovered.
	EventHealthy = "MachineHealthy"
)

const eventAction = "HealthCheck"

// onTransition emits an event when the verdict changes, and measures the detection delay.
func (r *Reconciler) onTransition(_ context.Context, machine *clusterv1.Machine, transition healthcheck.Transition) {
	from, to := transition.From, transition.To
	if conditionType := cmp.Or(to.Type, from.Type); from.Status == to.Status || conditionType == verdict.HostConditionType || conditionType == verdict.TrustConditionType {
		return
	}
	switch {
	case to.Status == healthcheck.False:
		r.Recorder.Eventf(machine, nil, corev1.EventTypeWarning, EventUnhealthy, eventAction, "%s", ownwrites.Note(withStart(to.Message, machine)))
		measureDelay(transition)
	case to.Status == healthcheck.True && from.Status == healthcheck.False:
		r.Recorder.Eventf(machine, nil, corev1.EventTypeNormal, EventHealthy, eventAction, "Machine is healthy again")
	}
}

// withStart adds to the message of a verdict what the Machine's own conditions say about a start that hangs. The verdict's own message is a contract.
func withStart(message string, machine *clusterv1.Machine) string {
	if says := hangs.StartWords(machine); says != "" {
		message += ". " + says
	}
	return message
}
