package machinehealth

import (
	"context"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/managed"
	"github.com/sickbay-dev/sickbay/internal/status"
)

// store keeps the verdict on Machines. With the verdict it takes away the mark
// for the owner that Sickbay set on account of it: a mark that is left behind
// would make the owner act at the next bad verdict, whatever the budget says.
type store struct {
	healthcheck.Metav1Store[*clusterv1.Machine]
}

func (s store) Remove(ctx context.Context, machine *clusterv1.Machine, types []string) error {
	if managed.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, status.OwnerRemediatedFieldOwner) && machine.DeletionTimestamp.IsZero() {
		types = append(slices.Clone(types), clusterv1.MachineOwnerRemediatedCondition)
	}
	return s.Metav1Store.Remove(ctx, machine, types)
}
