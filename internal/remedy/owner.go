package remedy

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
)

// Mark asks the controller that owns a Machine to remediate it, by the condition OwnerRemediated=False. A MachineSet then
// replaces the Machine; a control plane does so once that is safe. The write depends on the Machine's UID and verdict, but
// not on the resource version, so it also succeeds on a Machine that other controllers write to all the time. It also depends on
// the given tests, if there are any.
func Mark(ctx context.Context, c client.Client, machine *clusterv1.Machine, now time.Time, tests ...ownwrites.Op) error {
	verdict := index(machine, clusterv1.MachineHealthCheckSucceededCondition)
	if verdict < 0 {
		return fmt.Errorf("marking machine %s: %w: it has no verdict", client.ObjectKeyFromObject(machine), ErrChanged)
	}
	mark := onmachine.Waiting(machine, now)
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine),
		ownwrites.Test(conditionPath(verdict)+"/type", clusterv1.MachineHealthCheckSucceededCondition),
		ownwrites.Test(conditionPath(verdict)+"/status", metav1.ConditionFalse),
	}
	ops = append(ops, tests...)
	if i := index(machine, mark.Type); i >= 0 {
		ops = append(ops, ownwrites.Test(conditionPath(i)+"/type", mark.Type), ownwrites.Test(conditionPath(i)+"/status", metav1.ConditionTrue),
			ownwrites.Op{Op: "replace", Path: conditionPath(i), Value: mark})
	} else {
		// The API refuses a second condition of that type, so a mark that came meanwhile is not overwritten.
		ops = append(ops, ownwrites.Op{Op: "add", Path: "/status/conditions/-", Value: mark})
	}
	return patch(machine, "marking", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Status().Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// WithdrawMark removes the mark, if it has not changed since it was read: what the owner writes into it must not be lost
// unread. It leaves the mark of a Machine that is being deleted.
func WithdrawMark(ctx context.Context, c client.Client, machine *clusterv1.Machine) error {
	i := index(machine, clusterv1.MachineOwnerRemediatedCondition)
	if i < 0 {
		return nil
	}
	mark := machine.Status.Conditions[i]
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine),
		ownwrites.Test("/metadata/deletionTimestamp", nil),
		ownwrites.Test(conditionPath(i)+"/type", mark.Type),
		ownwrites.Test(conditionPath(i)+"/status", mark.Status),
		ownwrites.Test(conditionPath(i)+"/reason", mark.Reason),
		ownwrites.Remove(conditionPath(i)),
	}
	return patch(machine, "withdrawing the mark of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Status().Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

func index(machine *clusterv1.Machine, conditionType string) int {
	return slices.IndexFunc(machine.Status.Conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
}

func conditionPath(i int) string { return fmt.Sprintf("/status/conditions/%d", i) }
