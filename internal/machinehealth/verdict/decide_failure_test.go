package verdict

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	capierrors "sigs.k8s.io/cluster-api/api/deprecated/errors" //nolint:staticcheck // It has the type of a deprecated field.

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// providerSays is what Cluster API copies from an infrastructure machine.
const providerSays = `Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta1, Kind=AWSMachine with name "m": the instance is gone`

// hasFailed sets what Cluster API reports of a Machine that has failed for good.
//
//nolint:staticcheck // Cluster API says so nowhere else than in deprecated fields.
func hasFailed(reason capierrors.MachineStatusError, message string) build.MachineFunc {
	return func(m *clusterv1.Machine) {
		said := &clusterv1.MachineV1Beta1DeprecatedStatus{}
		if reason != "" {
			said.FailureReason = &reason
		}
		if message != "" {
			said.FailureMessage = &message
		}
		m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: said}
	}
}

func machineFailed(message string) verdict {
	return verdict{Status: healthcheck.False, Reason: "MachineFailed", Message: message}
}

// TestFailure: Cluster API reports a failure in fields, not in a phase.
func TestFailure(t *testing.T) {
	noPlane := cluster(build.ControlPlaneNotInitialized())
	run(t, map[string]row{
		"a message":                             {facts(machine(hasFailed("UpdateError", providerSays))), machineFailed(providerSays)},
		"a reason":                              {facts(machine(hasFailed("InvalidConfiguration", ""))), machineFailed("Machine has failed: InvalidConfiguration")},
		"a message, and the phase":              {facts(machine(hasFailed("", providerSays), build.InPhase("Failed", now))), machineFailed(providerSays)},
		"nothing":                               {facts(machine(hasFailed("", ""))), healthy},
		"before there is a Node":                {facts(machineWithoutNode(hasFailed("", providerSays), build.CreatedAt(now))), machineFailed(providerSays).in(10 * time.Minute)},
		"and its Node is gone":                  {facts(machine(hasFailed("", providerSays)), nodeGone), machineFailed(providerSays + "; Node not found")},
		"control plane not initialized":         {facts(machine(hasFailed("", providerSays)), noPlane), waitForPlane},
		"a message of nothing but what changes": {facts(machine(hasFailed("", "2026-01-02T03:04:05Z"))), machineFailed("Machine has failed")},
		"a reason, and a message of nothing":    {facts(machine(hasFailed("UpdateError", " "))), machineFailed("Machine has failed: UpdateError")},
		"without what changes":                  {facts(machine(hasFailed("", "attempt 3 failed\n at 2026-01-02T03:04:05.678Z"))), machineFailed("failed at")},
		"a Machine that is being deleted":       {facts(machine(hasFailed("", providerSays), deleting()), nodeGone), machineFailed(providerSays)},
	})
}

// TestSteady: only what changes from attempt to attempt is left out.
func TestSteady(t *testing.T) {
	for message, want := range map[string]string{
		"dial tcp 10.0.0.5:43122->10.0.0.1:623: i/o timeout":             "dial tcp 10.0.0.5->10.0.0.1:623: i/o timeout",
		"no answer since 2026-01-02 03:04:05+00:00, gave up":             "no answer since , gave up",
		"Ironic: Timeout (req-3e7a-41ff-9) after 3 attempts":             "Ironic: Timeout () after",
		"Failed to set node 5d3b power state to power on on 172.22.0.3":  "Failed to set node 5d3b power state to power on on 172.22.0.3",
		"Image provisioning failed: Deploy step deploy failed on node 7": "Image provisioning failed: Deploy step deploy failed on node 7",
	} {
		if got := steady(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}
