package remedy

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Sign shows on a Machine that an attempt has its host cycled, by the annotation reboot.metal3.io. It leaves the annotation of somebody else, and
// the answer to it, which is the sign of another record.
func Sign(ctx context.Context, c client.Client, machine *clusterv1.Machine, operation string) error {
	record, _, _ := strings.Cut(operation, "/")
	if _, taken := machine.Annotations[rebootannotation.Request]; taken && !HasSign(machine, types.UID(record)) {
		return nil
	}
	return show(ctx, c, machine, rebootannotation.Request, operation)
}

// Answer puts the sign of an attempt in the place of the annotation that asked for it, if the Machine is as it was read: somebody may have set the
// same annotation once more since.
func Answer(ctx context.Context, c client.Client, machine *clusterv1.Machine, key, operation string) error {
	return show(ctx, c, machine, key, operation, ownwrites.TestVersion(machine))
}

// show sets an annotation to a sign, if it is as it was read.
func show(ctx context.Context, c client.Client, machine *clusterv1.Machine, key, operation string, tests ...ownwrites.Op) error {
	ops := append(ownwrites.JSONPatch{ownwrites.TestUID(machine)}, tests...)
	if machine.Annotations == nil {
		ops = append(ops, ownwrites.Test("/metadata/annotations", nil), ownwrites.Op{Op: "add", Path: "/metadata/annotations", Value: map[string]string{}})
	}
	ops = append(ops, testAnnotation(machine, key), ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(key), Value: operation})
	return patchMetadata(ctx, c, machine, "showing the power cycle of", ops)
}

// RemoveSign removes what shows a power cycle of a record on a Machine, if there is any.
func RemoveSign(ctx context.Context, c client.Client, machine *clusterv1.Machine, record types.UID) error {
	if !HasSign(machine, record) {
		return nil
	}
	return RemoveSignOf(ctx, c, machine, rebootannotation.Request, machine.Annotations[rebootannotation.Request])
}

// RemoveSignOf removes a sign from a Machine, if it still shows that one.
func RemoveSignOf(ctx context.Context, c client.Client, machine *clusterv1.Machine, key, operation string) error {
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine), ownwrites.Test(ownwrites.AnnotationPath(key), operation), ownwrites.Remove(ownwrites.AnnotationPath(key)),
	}
	return patchMetadata(ctx, c, machine, "removing what shows the power cycle of", ops)
}

// HasSign reports whether a Machine shows a power cycle of a record.
func HasSign(machine *clusterv1.Machine, record types.UID) bool {
	return ladder.IsOperationOf(record, machine.Annotations[rebootannotation.Request])
}

// testAnnotation tests that an annotation is as it was read.
func testAnnotation(machine *clusterv1.Machine, key string) ownwrites.Op {
	if value, ok := machine.Annotations[key]; ok {
		return ownwrites.Test(ownwrites.AnnotationPath(key), value)
	}
	return ownwrites.Test(ownwrites.AnnotationPath(key), nil)
}
