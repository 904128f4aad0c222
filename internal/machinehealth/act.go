package machinehealth

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FieldOwner is the field manager for the conditions of this package.
const FieldOwner = ownwrites.MachineHealthFieldOwner

// store stores the verdict on Machines. When it removes a verdict, it also removes a mark for the owner that a power
// cycle without a record has set: otherwise the owner would act on it at the next bad verdict, whatever the limits say. Marks of records are left to the remediation controller.
type store struct {
	healthcheck.Metav1Store[*clusterv1.Machine]
}

func (s store) Remove(ctx context.Context, machine *clusterv1.Machine, types []string) error {
	if !slices.Contains(types, verdict.ConditionType) || !ownwrites.MarkedWithoutRecord(machine) || !machine.DeletionTimestamp.IsZero() {
		return s.Metav1Store.Remove(ctx, machine, types)
	}
	types = append(slices.Clone(types), clusterv1.MachineOwnerRemediatedCondition)
	kept := machine.DeepCopy()
	kept.Status.Conditions = slices.DeleteFunc(kept.Status.Conditions, func(c metav1.Condition) bool { return slices.Contains(types, c.Type) })
	// A record may take the mark over without a visible change of it, so the write is refused if the Machine has changed
	// since it was read.
	bound := client.MergeFromWithOptions(machine, client.MergeFromWithOptimisticLock{})
	if err := s.Client.Status().Patch(ctx, kept, bound, client.FieldOwner(s.FieldOwner)); err != nil {
		return fmt.Errorf("removing the verdict on machine %s and the mark without a record: %w", client.ObjectKeyFromObject(machine), err)
	}
	machine.SetResourceVersion(kept.GetResourceVersion())
	return nil
}
