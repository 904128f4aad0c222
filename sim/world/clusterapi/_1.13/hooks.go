package hangs

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

func drainHooksSince(*clusterv1.MachineDeletionStatus) (never time.Time) { return never }

func terminateHooksSince(*clusterv1.MachineDeletionStatus) (never time.Time) { return never }
