package verdict

import (
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// phaseFailed is a phase that Cluster API still defines but no longer sets. A Machine may have it from an older
// version, or from another controller.
const phaseFailed = "Failed"

func (l look) failed() findings {
	failure := FailureOf(l.Machine)
	if failure == "" {
		return findings{}
	}
	return one(ReasonMachineFailed, failure, time.Time{})
}

// provisioningTimedOut judges how long provisioning the infrastructure of a Machine takes.
func (l look) provisioningTimedOut() findings {
	timeout := l.Rules.ProvisioningTimeout
	if timeout == 0 || l.Machine.Status.Phase != string(clusterv1.MachinePhaseProvisioning) {
		return findings{}
	}
	// Waiting for bootstrap data does not count as provisioning.
	due := healthcheck.Latest(l.startedAt(), past(l.Machine.Status.LastUpdated.Time, l.now)).Add(timeout)
	if l.now.Before(due) {
		return findings{due: due}
	}
	return one(ReasonMachineProvisioningTimedOut, fmt.Sprintf("Machine is provisioning for more than %s", timeout), due)
}
