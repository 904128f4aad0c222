package verdict

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestAskedFor(t *testing.T) {
	asked := verdict{
		Status: healthcheck.False, Reason: "HasRemediateMachineAnnotation",
		Message: "Marked for remediation via remediate-machine annotation",
	}
	run(t, map[string]row{
		"a healthy machine":                          {facts(machine(remediate())), asked},
		"whatever the value":                         {facts(machine(build.Annotation("cluster.x-k8s.io/remediate-machine", "false"))), asked},
		"a machine without a Node":                   {facts(machineWithoutNode(remediate())), asked},
		"before all findings":                        {facts(machine(remediate(), noDisk(ago(time.Hour))), nodeGone), asked},
		"the gates do not hold back who asks for it": {facts(machine(remediate()), cluster(build.InfrastructureNotReady(), build.ControlPlaneNotInitialized())), asked},
		"before a workload cluster cannot be read":   {facts(machine(remediate()), lost(ago(time.Hour))), asked},
		"a machine that is being deleted":            {facts(machine(remediate(), deleting())), asked},
	})
}

func TestUnhealthy(t *testing.T) {
	diskFailed := verdict{Status: healthcheck.False, Reason: "DiskUnhealthy", Message: "Machine condition Disk is False for more than 5m0s"}
	run(t, map[string]row{
		"phase Failed":                                      {facts(machineWithoutNode(build.InPhase("Failed", now), build.CreatedAt(now))), failed.in(10 * time.Minute)},
		"phase Failed, Node there":                          {facts(machine(build.InPhase("Failed", now))), failed},
		"phase Failed, Node cannot be read":                 {facts(machine(build.InPhase("Failed", now)), lost(now)), failed},
		"in phase Provisioning, for longer":                 {facts(machineProvisioning(ago(6 * time.Minute))), provisioning.in(4 * time.Minute)},
		"in phase Provisioning, for its timeout":            {facts(machineProvisioning(ago(5 * time.Minute))), provisioning.in(5 * time.Minute)},
		"no nodeRef, startup timeout exceeded":              {facts(machineWithoutNode()), startedLate},
		"nodeRef set, Node gone, Machine not being deleted": {facts(nodeGone), nodeNotFound},
		"a Machine condition matches, for longer":           {facts(machine(noDisk(ago(6 * time.Minute)))), diskFailed},
		"a Machine condition matches, for its timeout":      {facts(machine(noDisk(ago(5 * time.Minute)))), diskFailed},
		"a Node condition matches, for longer":              {facts(notReady(ago(6 * time.Minute))), nodeNotReady},
		"a Node condition matches, for its timeout":         {facts(notReady(ago(5 * time.Minute))), nodeNotReady},
		"a Machine condition, no Node yet":                  {facts(machineWithoutNode(build.CreatedAt(now), noDisk(ago(5*time.Minute)))), diskFailed.in(10 * time.Minute)},
		"a Machine condition, Node cannot be read":          {facts(machine(noDisk(ago(5*time.Minute))), lost(now)), diskFailed},
		"a Machine condition, Node gone while deleting":     {facts(machine(noDisk(ago(5*time.Minute)), deleting()), nodeGone), diskFailed},
		"a Node condition, Machine being deleted":           {facts(machine(deleting()), notReady(ago(5*time.Minute))), nodeNotReady},
	})
}

func TestNotDecided(t *testing.T) {
	run(t, map[string]row{
		"nodeRef set, Node gone, Machine being deleted":        {facts(machine(deleting()), nodeGone), isDeleting},
		"nodeRef set, workload cluster cannot be read":         {facts(lost(ago(time.Minute))), unavailable},
		"in phase Provisioning, not yet for its timeout":       {facts(machineProvisioning(ago(time.Minute))), notProvisioned.in(4 * time.Minute)},
		"no nodeRef, startup timeout not exceeded":             {facts(machineWithoutNode(build.CreatedAt(ago(time.Minute)))), waitForNode.in(9 * time.Minute)},
		"a Node condition matches, not yet for its timeout":    {facts(notReady(ago(time.Minute))), notYetNode.in(4 * time.Minute)},
		"a Machine condition matches, not yet for its timeout": {facts(machine(noDisk(ago(time.Minute)))), notYetMachine.in(4 * time.Minute)},
		"in phase Provisioning, a nanosecond before it":        {facts(machineProvisioning(ago(5*time.Minute - 1))), notProvisioned.in(1)},
		"one nanosecond before the timeout":                    {facts(notReady(ago(5*time.Minute - 1))), notYetNode.in(1)},
		"the Node's before the Machine's, the earliest of both": {
			facts(machine(noDisk(ago(3*time.Minute))), notReady(ago(time.Minute))), notYetNode.in(2 * time.Minute),
		},
		"no Node yet, but a Machine condition is due first": {
			facts(machineWithoutNode(build.CreatedAt(now), noDisk(ago(time.Minute)))), waitForNode.in(4 * time.Minute),
		},
		"being deleted, and a Machine condition is due": {
			facts(machine(deleting(), noDisk(ago(time.Minute))), nodeGone), isDeleting.in(4 * time.Minute),
		},
		"cannot be read, and a Machine condition is due": {
			facts(machine(noDisk(ago(time.Minute))), lost(now)), unavailable.in(4 * time.Minute),
		},
	})
}

func TestHealthy(t *testing.T) {
	run(t, map[string]row{
		"Node exists, nothing matches":        {facts(), healthy},
		"no rules at all":                     {facts(rules(), notReady(ago(time.Hour))), healthy},
		"a condition has another status":      {facts(node(build.NodeReady("Unknown", ago(time.Hour)))), healthy},
		"a condition of that type is missing": {facts(func(f *Facts) { f.Node.Node.Status.Conditions = nil }), healthy},
		"a Node rule is not for Machines":     {facts(machine(build.Condition("Ready", "False", "R", ago(time.Hour)))), healthy},
		"a Machine rule is not for Nodes":     {facts(node(build.Condition("Disk", "False", "R", ago(time.Hour)))), healthy},
		"in phase Deleting":                   {facts(machine(build.InPhase("Deleting", ago(time.Hour)), deleting())), healthy},
		"being deleted, Node still there":     {facts(machine(deleting())), healthy},
	})
}
