package verdict

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func provisioningTimeout(timeout time.Duration) fact {
	return func(f *Facts) { f.Rules.ProvisioningTimeout = timeout }
}

func startupOff(f *Facts) { f.Rules.StartupTimeout = 0 }

// TestProvisioningClock covers "the startup clock, or when the phase began if that is later".
func TestProvisioningClock(t *testing.T) {
	soon, early := ago(2*time.Minute), ago(9*time.Minute)
	since := func(conditionType string) build.ConditionOption {
		return build.Condition(conditionType, "True", "R", soon)
	}
	waiting := notProvisioned.in(3 * time.Minute)
	another := verdict{Status: healthcheck.False, Reason: "MachineProvisioningTimedOut", Message: "Machine is provisioning for more than 55m30s"}
	run(t, map[string]row{
		"the phase":                         {facts(machineProvisioning(early, build.InPhase("Provisioning", soon)), startupOff), waiting},
		"Machine creation":                  {facts(machineProvisioning(soon, build.InPhase("Provisioning", time.Time{}))), waiting},
		"Cluster control plane initialized": {facts(machineProvisioning(early), cluster(since("ControlPlaneInitialized"))), waiting},
		"Cluster infrastructure ready":      {facts(machineProvisioning(early), cluster(since("InfrastructureReady"))), waiting},
		"the end of the last pause":         {facts(machineProvisioning(early), resumed(soon)), waiting},
		"a pause that ended before":         {facts(machineProvisioning(soon), resumed(early)), waiting},
		"no phase is from the future":       {facts(machineProvisioning(soon, build.InPhase("Provisioning", now.Add(time.Minute)))), notProvisioned.in(6 * time.Minute)},
		"off unless it is set":              {facts(machineProvisioning(early), rules()), waitForNode.in(time.Minute)},
		"0 switches it off":                 {facts(machineProvisioning(early), provisioningTimeout(0)), waitForNode.in(time.Minute)},
		"another timeout, as a Go duration": {facts(machineProvisioning(ago(time.Hour)), rules(
			build.Annotation(mhcspec.ProvisioningTimeoutAnnotation, "55m30s"), build.NodeStartupTimeout(0))), another},
	})
}

// TestPhases: phases that do not matter, and phases together with other findings or with what is undecided.
func TestPhases(t *testing.T) {
	long := ago(time.Hour)
	disk := "Machine condition Disk is False for more than 5m0s"
	failedAnd := func(more string) verdict {
		return verdict{Status: healthcheck.False, Reason: "MachineFailed", Message: failed.Message + "; " + more}
	}
	late := provisioning
	late.Message += "; " + startedLate.Message
	run(t, map[string]row{
		"Pending":                          {facts(machineWithoutNode(build.InPhase("Pending", long), build.CreatedAt(now))), waitForNode.in(10 * time.Minute)},
		"Provisioned":                      {facts(machineWithoutNode(build.InPhase("Provisioned", long), build.CreatedAt(now))), waitForNode.in(10 * time.Minute)},
		"Running":                          {facts(machine(build.InPhase("Running", long))), healthy},
		"Unknown":                          {facts(machine(build.InPhase("Unknown", long))), healthy},
		"none":                             {facts(machine(build.InPhase("", long))), healthy},
		"Failed without any rules":         {facts(machine(build.InPhase("Failed", now)), rules()), failed},
		"Failed, Node gone":                {facts(machine(build.InPhase("Failed", now)), nodeGone), failedAnd("Node not found")},
		"Failed, a Machine condition":      {facts(machine(build.InPhase("Failed", now), noDisk(long))), failedAnd(disk)},
		"Failed, was healthy, unreadable":  {facts(machine(build.InPhase("Failed", now)), wasHealthy, lost(now)), failed},
		"remediation asked for before":     {facts(machine(build.InPhase("Failed", now), remediate())), verdict{healthcheck.False, "HasRemediateMachineAnnotation", "Marked for remediation via remediate-machine annotation", 0}},
		"Provisioning, and startup late":   {facts(machineProvisioning(long)), late},
		"Provisioning, startup due first":  {facts(machineProvisioning(ago(9*time.Minute)), provisioningTimeout(time.Hour)), notProvisioned.in(time.Minute)},
		"Provisioning, has a Node":         {facts(machine(build.InPhase("Provisioning", ago(time.Minute)))), notProvisioned.in(4 * time.Minute)},
		"Provisioning, has a Node, late":   {facts(machine(build.InPhase("Provisioning", long))), provisioning},
		"Provisioning before a condition":  {facts(machine(build.InPhase("Provisioning", ago(time.Minute))), notReady(ago(2*time.Minute))), notProvisioned.in(3 * time.Minute)},
		"unreadable before Provisioning":   {facts(machine(build.InPhase("Provisioning", ago(time.Minute))), lost(long)), unavailable.in(4 * time.Minute)},
		"in grace, Provisioning comes due": {facts(machine(build.InPhase("Provisioning", ago(time.Minute))), wasHealthy, lost(now)), healthy.in(4 * time.Minute)},
	})
}
