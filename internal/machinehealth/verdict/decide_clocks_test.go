package verdict

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestStartupClock covers "the latest of Machine creation, Cluster control plane
// initialized, Cluster infrastructure ready, Machine infrastructure ready".
func TestStartupClock(t *testing.T) {
	since := func(conditionType string) build.ConditionOption {
		return build.Condition(conditionType, "True", "R", ago(2*time.Minute))
	}
	not := func(conditionType string) build.ConditionOption {
		return build.Condition(conditionType, "False", "R", ago(2*time.Minute))
	}
	waiting := waitForNode.in(8 * time.Minute)
	off := rules(build.NodeStartupTimeout(0))
	run(t, map[string]row{
		"Machine creation":                    {facts(machineWithoutNode(build.CreatedAt(ago(2 * time.Minute)))), waiting},
		"Cluster control plane initialized":   {facts(machineWithoutNode(), cluster(since("ControlPlaneInitialized"))), waiting},
		"Cluster infrastructure ready":        {facts(machineWithoutNode(), cluster(since("InfrastructureReady"))), waiting},
		"Machine infrastructure ready":        {facts(machineWithoutNode(since("InfrastructureReady"))), waiting},
		"the end of the last pause":           {facts(machineWithoutNode(), resumed(ago(2*time.Minute))), waiting},
		"a pause that ended before the rest":  {facts(machineWithoutNode(build.CreatedAt(ago(2*time.Minute))), resumed(ago(time.Hour))), waiting},
		"the time at which it broke is none":  {facts(machineWithoutNode(not("InfrastructureReady"))), startedLate},
		"at the timeout":                      {facts(machineWithoutNode(build.CreatedAt(ago(10 * time.Minute)))), startedLate},
		"a nanosecond before the timeout":     {facts(machineWithoutNode(build.CreatedAt(ago(10*time.Minute - 1)))), waitForNode.in(1)},
		"0 switches it off":                   {facts(machineWithoutNode(), off), waitForNode},
		"0, a Machine condition is due":       {facts(machineWithoutNode(noDisk(ago(time.Minute))), func(f *Facts) { f.Rules.StartupTimeout = 0 }), waitForNode.in(4 * time.Minute)},
		"not for a Machine that has its Node": {facts(machine(build.CreatedAt(ago(24 * time.Hour)))), healthy},
		"not for a Node that is not readable": {facts(lost(now)), unavailable},
		"another timeout, as a Go duration": {
			facts(machineWithoutNode(), rules(build.NodeStartupTimeout(90*time.Second))),
			verdict{Status: healthcheck.False, Reason: "NodeStartupTimedOut", Message: "Node failed to start within 1m30s"},
		},
	})
}

// TestConditionClocks covers "its lastTransitionTime, or the end of the last pause if that is later".
func TestConditionClocks(t *testing.T) {
	long := func(d time.Duration) fact {
		return rules(build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, d))
	}
	hours := verdict{Status: healthcheck.False, Reason: "ReadyUnhealthy", Message: "Node condition Ready is False for more than 1h0m0s"}
	zero := verdict{Status: healthcheck.False, Reason: "ReadyUnhealthy", Message: "Node condition Ready is False for more than 0s"}
	run(t, map[string]row{
		"Node condition, resumed after it":      {facts(notReady(ago(time.Hour)), resumed(ago(time.Minute))), notYetNode.in(4 * time.Minute)},
		"Node condition, resumed before it":     {facts(notReady(ago(time.Minute)), resumed(ago(time.Hour))), notYetNode.in(4 * time.Minute)},
		"Node condition, resumed long ago":      {facts(notReady(ago(time.Hour)), resumed(ago(5*time.Minute))), nodeNotReady},
		"Node condition, resumed in the future": {facts(notReady(ago(time.Hour)), resumed(ago(-10*time.Minute))), nodeNotReady.in(9 * time.Minute)},
		"Machine condition, resumed after it":   {facts(machine(noDisk(ago(time.Hour))), resumed(ago(time.Minute))), notYetMachine.in(4 * time.Minute)},
		"no transition time: Node creation":     {facts(notReady(time.Time{}), long(time.Hour)), hours},
		"no transition time, a young Node":      {facts(node(build.NodeReady("False", time.Time{}), build.CreatedAt(ago(time.Minute)))), notYetNode.in(4 * time.Minute)},
		"no transition time: Machine creation":  {facts(machine(noDisk(time.Time{}), build.CreatedAt(ago(time.Minute)))), notYetMachine.in(4 * time.Minute)},
		"a Node whose clock is behind":          {facts(node(build.NodeReady("False", ago(time.Hour)), build.CreatedAt(ago(time.Minute)))), notYetNode.in(4 * time.Minute)},
		"a Node that is made by a clock ahead":  {facts(node(build.NodeReady("False", ago(time.Hour)), build.CreatedAt(now.Add(time.Minute)))), notYetNode.in(6 * time.Minute)},
		"a Node that is made far in the future": {facts(node(build.NodeReady("False", ago(time.Hour)), build.CreatedAt(now.Add(time.Hour)))), nodeNotReady},
		"a timeout of 0 is over at once":        {facts(notReady(now), long(0)), zero},
		"a transition in the future":            {facts(notReady(now.Add(time.Minute))), notYetNode.in(6 * time.Minute)},
	})
}
