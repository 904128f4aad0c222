package remedy

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// Sign shows on a Machine that an attempt has its host cycled, by the annotation reboot.metal3.io. It leaves the annotation of somebody else.
func Sign(ctx context.Context, c client.Client, machine *clusterv1.Machine, operation string) error {
	if value, ok := machine.Annotations[rebootannotation.Request]; ok && !rebootannotation.IsSign(value) {
		return nil
	}
	ops := ownwrites.JSONPatch{ownwrites.TestUID(machine)}
	if machine.Annotations == nil {
		ops = append(ops, ownwrites.Test("/metadata/annotations", nil), ownwrites.Op{Op: "add", Path: "/metadata/annotations", Value: map[string]string{}})
	}
	ops = append(ops, testAnnotation(machine, rebootannotation.Request),
		ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(rebootannotation.Request), Value: operation})
	return patch(machine, "showing the power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// RemoveSign removes what shows a power cycle of a record on a Machine, if there is any.
func RemoveSign(ctx context.Context, c client.Client, machine *clusterv1.Machine, record types.UID) error {
	if !HasSign(machine, record) {
		return nil
	}
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine), testAnnotation(machine, rebootannotation.Request),
		ownwrites.Remove(ownwrites.AnnotationPath(rebootannotation.Request)),
	}
	return patch(machine, "removing what shows the power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// HasSign reports whether a Machine shows a power cycle of a record.
func HasSign(machine *clusterv1.Machine, record types.UID) bool {
	return strings.HasPrefix(machine.Annotations[rebootannotation.Request], string(record)+"/")
}

// testAnnotation tests that an annotation is as it was read.
func testAnnotation(machine *clusterv1.Machine, key string) ownwrites.Op {
	if value, ok := machine.Annotations[key]; ok {
		return ownwrites.Test(ownwrites.AnnotationPath(key), value)
	}
	return ownwrites.Test(ownwrites.AnnotationPath(key), nil)
}
