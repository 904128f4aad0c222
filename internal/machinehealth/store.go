package machinehealth

import (
	"context"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/status"
)

// store keeps the verdict on Machines. With the verdict it takes away a mark for the
// owner that an earlier version, or a power cycle without a record, has set: left
// behind, it would make the owner act at the next bad verdict, whatever the budget
// says. Marks of records are taken away by remediation.
type store struct {
	healthcheck.Metav1Store[*clusterv1.Machine]
}

func (s store) Remove(ctx context.Context, machine *clusterv1.Machine, types []string) error {
	if slices.Contains(types, ConditionType) && status.MarkedWithoutRecord(machine) && machine.DeletionTimestamp.IsZero() {
		types = append(slices.Clone(types), clusterv1.MachineOwnerRemediatedCondition)
	}
	return s.Metav1Store.Remove(ctx, machine, types)
}
