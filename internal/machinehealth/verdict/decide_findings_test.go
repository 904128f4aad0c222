package verdict

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestSeveralFindings covers "messages joined with ; in the table's order, reason of the first".
func TestSeveralFindings(t *testing.T) {
	disk := "Machine condition Disk is False for more than 5m0s"
	ready := "Node condition Ready is False for more than 5m0s"
	unhealthy := func(reason, message string) verdict {
		return verdict{Status: healthcheck.False, Reason: reason, Message: message}
	}
	run(t, map[string]row{
		"startup, Machine condition": {
			facts(machineWithoutNode(noDisk(ago(time.Hour)))), unhealthy("NodeStartupTimedOut", startedLate.Message+"; "+disk),
		},
		"Node gone, Machine condition": {
			facts(machine(noDisk(ago(time.Hour))), nodeGone), unhealthy("NodeNotFound", "Node not found; "+disk),
		},
		"Machine condition, Node condition": {
			facts(machine(noDisk(ago(time.Hour))), notReady(ago(time.Hour))), unhealthy("DiskUnhealthy", disk+"; "+ready),
		},
		"two rules of one kind, in their order": {
			facts(node(build.NodeReady("False", ago(time.Hour)), build.Condition("PIDPressure", "True", "R", ago(time.Hour))), rules(
				build.UnhealthyNodeCondition(corev1.NodePIDPressure, corev1.ConditionTrue, 90*time.Second),
				build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 5*time.Minute))),
			unhealthy("PIDPressureUnhealthy", "Node condition PIDPressure is True for more than 1m30s; "+ready),
		},
		"one finding, another to come": {
			facts(machine(noDisk(ago(2*time.Minute))), notReady(ago(time.Hour))), unhealthy("ReadyUnhealthy", ready).in(3 * time.Minute),
		},
	})
}

// TestUnhealthySince: the detection delay counts from when a Machine began to count as
// unhealthy.
func TestUnhealthySince(t *testing.T) {
	opened := build.Condition("InfrastructureReady", "True", "Ready", ago(time.Minute))
	initialized := build.Condition("ControlPlaneInitialized", "True", "Initialized", ago(time.Minute))
	tests := map[string]struct {
		facts Facts
		want  time.Time
	}{
		"the end of the timeout":              {facts(notReady(ago(time.Hour))), ago(55 * time.Minute)},
		"the first of several":                {facts(notReady(ago(20*time.Minute)), machine(noDisk(ago(30*time.Minute)))), ago(25 * time.Minute)},
		"the end of the startup timeout":      {facts(machineWithoutNode(build.CreatedAt(ago(30 * time.Minute)))), ago(20 * time.Minute)},
		"unknown for a Node that is gone":     {facts(nodeGone), time.Time{}},
		"unknown for phase Failed":            {facts(machine(build.InPhase("Failed", ago(time.Hour)))), time.Time{}},
		"the end of the provisioning timeout": {facts(machineProvisioning(ago(8 * time.Minute))), ago(3 * time.Minute)},
		"infrastructure ready after that":     {facts(notReady(ago(time.Hour)), cluster(opened)), ago(time.Minute)},
		"control plane initialized later":     {facts(notReady(ago(time.Hour)), cluster(initialized)), ago(time.Minute)},
		"control plane machines do not wait":  {facts(machine(build.ControlPlane()), notReady(ago(time.Hour)), cluster(initialized)), ago(55 * time.Minute)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Decide(tt.facts, now).Deadline; !got.Equal(tt.want) {
				t.Errorf("deadline is %v, want %v", got, tt.want)
			}
		})
	}
}
