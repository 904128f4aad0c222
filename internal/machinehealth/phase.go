package machinehealth

import (
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// phaseFailed is a phase that Cluster API still knows and does not set any more. A Machine has it from an older
// version, or from another controller.
const phaseFailed = "Failed"

// phase judges how far a Machine has come.
func (found *findings) phase(f Facts, now time.Time) {
	if failure := failureOf(f.Machine); failure != "" {
		found.unhealthy = append(found.unhealthy, finding{reason: ReasonMachineFailed, message: failure})
	}
	if f.Machine.Status.Phase == string(clusterv1.MachinePhaseProvisioning) {
		found.provisioning(f, now)
	}
}

// provisioning judges how long it takes until the infrastructure of a Machine is there.
func (found *findings) provisioning(f Facts, now time.Time) {
	timeout := f.Rules.ProvisioningTimeout
	if timeout == 0 {
		return
	}
	due := provisioningSince(f).Add(timeout)
	if now.Before(due) {
		found.provisioningDue = due
		return
	}
	found.unhealthy = append(found.unhealthy, finding{ReasonMachineProvisioningTimedOut, fmt.Sprintf("Machine is provisioning for more than %s", timeout), due})
}

// provisioningSince is when the startup clock began to run, or when the phase began if that is later: a Machine
// that has waited for its bootstrap data has not been provisioning meanwhile.
func provisioningSince(f Facts) time.Time {
	return later(startedAt(f), f.Machine.Status.LastUpdated.Time)
}
