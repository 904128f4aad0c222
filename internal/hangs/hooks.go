package hangs

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Cluster API says since 1.14 how long it has waited for hooks. This file is only these fields, as tests with an older version, whose types do not
// have them, compile sim/world/clusterapi/_1.13/hooks.go in its place.

func drainHooksSince(status *clusterv1.MachineDeletionStatus) time.Time {
	return status.WaitForPreDrainHookStartTime.Time
}

func terminateHooksSince(status *clusterv1.MachineDeletionStatus) time.Time {
	return status.WaitForPreTerminateHookStartTime.Time
}
