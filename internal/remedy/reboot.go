package remedy

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// AnnotateReboot asks for a power cycle of a Machine's host by the annotation reboot.metal3.io, whose value is the
// operation ID. The annotation sickbay.dev/reboot-operation stays when the other one is removed, so the same operation
// is never asked for twice.
func AnnotateReboot(ctx context.Context, c client.Client, machine *clusterv1.Machine, operation string) error {
	if machine.Annotations[rebootannotation.Operation] == operation {
		return nil
	}
	ops := ownwrites.JSONPatch{ownwrites.TestUID(machine)}
	if machine.Annotations == nil {
		ops = append(ops, ownwrites.Test("/metadata/annotations", nil), ownwrites.Op{Op: "add", Path: "/metadata/annotations", Value: map[string]string{}})
	}
	if before, ok := machine.Annotations[rebootannotation.Operation]; ok {
		ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(rebootannotation.Operation), before))
	} else {
		ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(rebootannotation.Operation), nil))
	}
	ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(rebootannotation.Request), nil),
		ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(rebootannotation.Operation), Value: operation},
		ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(rebootannotation.Request), Value: operation})
	return patch(machine, "asking for a power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// WithdrawReboot removes the annotation, if its value has not changed since it was read.
func WithdrawReboot(ctx context.Context, c client.Client, machine *clusterv1.Machine) error {
	value, ok := machine.Annotations[rebootannotation.Request]
	if !ok {
		return nil
	}
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine),
		ownwrites.Test(ownwrites.AnnotationPath(rebootannotation.Request), value),
		ownwrites.Remove(ownwrites.AnnotationPath(rebootannotation.Request)),
	}
	return patch(machine, "withdrawing the power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}
