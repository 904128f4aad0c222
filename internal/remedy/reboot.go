package remedy

import (
	"context"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

const (
	// RebootAnnotation on a Machine asks for a power cycle of its host. The controller that carries it out removes it at
	// the end. If a health check asks, its value is the value of RebootOperationAnnotation or, in the previous version, of
	// RebootRequestedAtAnnotation; a person may set any value.
	RebootAnnotation = "reboot.metal3.io"
	// RebootRequestedAtAnnotation on a Machine is the RFC 3339 time at which Sickbay last asked. A host that has just
	// been cycled needs time to come up, and must not be cycled again meanwhile.
	RebootRequestedAtAnnotation = "sickbay.dev/reboot-requested-at"
	// RebootOperationAnnotation on a Machine is the operation ID of the power cycle that a remediation last asked for. It
	// stays when RebootAnnotation is removed, so the same operation is never asked for twice.
	RebootOperationAnnotation = "sickbay.dev/reboot-operation"
)

// AskReboot asks for a power cycle of a Machine's host by the annotation reboot.metal3.io, whose value is the
// operation ID. The annotation sickbay.dev/reboot-operation stays when the other one is removed, so the same operation
// is never asked for twice.
func AskReboot(ctx context.Context, c client.Client, machine *clusterv1.Machine, operation string) error {
	if machine.Annotations[RebootOperationAnnotation] == operation {
		return nil
	}
	ops := ownwrites.JSONPatch{ownwrites.TestUID(machine)}
	if machine.Annotations == nil {
		ops = append(ops, ownwrites.Test("/metadata/annotations", nil), ownwrites.Op{Op: "add", Path: "/metadata/annotations", Value: map[string]string{}})
	}
	if before, ok := machine.Annotations[RebootOperationAnnotation]; ok {
		ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(RebootOperationAnnotation), before))
	} else {
		ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(RebootOperationAnnotation), nil))
	}
	ops = append(ops, ownwrites.Test(ownwrites.AnnotationPath(RebootAnnotation), nil),
		ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(RebootOperationAnnotation), Value: operation},
		ownwrites.Op{Op: "add", Path: ownwrites.AnnotationPath(RebootAnnotation), Value: operation})
	return patch(machine, "asking for a power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// WithdrawReboot removes the annotation, if its value has not changed since it was read.
func WithdrawReboot(ctx context.Context, c client.Client, machine *clusterv1.Machine) error {
	value, ok := machine.Annotations[RebootAnnotation]
	if !ok {
		return nil
	}
	ops := ownwrites.JSONPatch{
		ownwrites.TestUID(machine),
		ownwrites.Test(ownwrites.AnnotationPath(RebootAnnotation), value),
		ownwrites.Remove(ownwrites.AnnotationPath(RebootAnnotation)),
	}
	return patch(machine, "withdrawing the power cycle of", ops, func(answer *clusterv1.Machine, p client.Patch) error {
		return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
	})
}

// RebootOperation returns the operation ID of the attempt that asks for a power cycle; empty if none does, or if somebody
// other than a record asks.
func RebootOperation(machine client.Object) string {
	annotations := machine.GetAnnotations()
	if operation := annotations[RebootOperationAnnotation]; operation == annotations[RebootAnnotation] {
		return operation
	}
	return ""
}

// RebootRequestedByHealthCheck reports whether a health check, and not a person, asks for a power cycle.
func RebootRequestedByHealthCheck(machine client.Object) bool {
	value, requested := machine.GetAnnotations()[RebootAnnotation]
	at, ever := machine.GetAnnotations()[RebootRequestedAtAnnotation]
	return RebootOperation(machine) != "" || requested && ever && value == at
}

// RebootDueAt returns when a Machine may be rebooted again: after pause since the last time. Zero means at once.
func RebootDueAt(machine *clusterv1.Machine, pause time.Duration) time.Time {
	last, err := time.Parse(time.RFC3339, machine.Annotations[RebootRequestedAtAnnotation])
	if err != nil {
		return time.Time{}
	}
	return last.Add(pause)
}
