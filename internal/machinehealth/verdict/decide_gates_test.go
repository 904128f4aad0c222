package verdict

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestGates(t *testing.T) {
	noInfra, noPlane := cluster(build.InfrastructureNotReady()), cluster(build.ControlPlaneNotInitialized())
	neither := cluster(build.InfrastructureNotReady(), build.ControlPlaneNotInitialized())
	infraFalse := cluster(build.Condition("InfrastructureReady", "False", "R", ago(time.Minute)))
	run(t, map[string]row{
		"infrastructure not ready":                            {facts(nodeGone, noInfra), waitForInfra},
		"infrastructure not ready any more":                   {facts(nodeGone, infraFalse), waitForInfra},
		"control plane not initialized":                       {facts(nodeGone, noPlane), waitForPlane},
		"neither: infrastructure first":                       {facts(nodeGone, neither), waitForInfra},
		"control-plane machine, infrastructure not ready":     {facts(machine(build.ControlPlane()), nodeGone, noInfra), waitForInfra},
		"control-plane machine, control plane not up":         {facts(machine(build.ControlPlane()), nodeGone, noPlane), nodeNotFound},
		"startup timeout exceeded":                            {facts(machineWithoutNode(), noPlane), waitForPlane},
		"a Node condition":                                    {facts(notReady(ago(time.Hour)), noPlane), waitForPlane},
		"a Machine condition":                                 {facts(machine(noDisk(ago(time.Hour))), noInfra), waitForInfra},
		"healthy stays healthy without infrastructure":        {facts(noInfra), healthy},
		"healthy stays healthy without a control plane":       {facts(noPlane), healthy},
		"not decided stays so, until it would be held back":   {facts(notReady(ago(time.Minute)), noInfra), notYetNode.in(4 * time.Minute)},
		"no Node yet stays so, until it would be held back":   {facts(machineWithoutNode(build.CreatedAt(ago(time.Minute))), noPlane), waitForNode.in(9 * time.Minute)},
		"being deleted stays so":                              {facts(machine(deleting()), nodeGone, neither), isDeleting},
		"cannot be read stays so":                             {facts(lost(now), neither), unavailable},
		"a healthy machine that cannot be read, within grace": {facts(wasHealthy, lost(now), neither), healthy.in(5 * time.Minute)},
	})
}
