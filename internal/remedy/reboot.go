package remedy

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// RebootAnnotation on a Machine asks for a power cycle of its host. The
	// controller that carries it out removes it at the end. If a health check asks, its value
	// is that of RebootOperationAnnotation, or in the version before, that of
	// RebootRequestedAtAnnotation; a person may set any.
	RebootAnnotation = "reboot.metal3.io"
	// RebootRequestedAtAnnotation on a Machine holds the RFC 3339 time at which
	// Sickbay asked last. A host that has just been cycled needs time to come up,
	// and must not be asked to do it all over again meanwhile.
	RebootRequestedAtAnnotation = "sickbay.dev/reboot-requested-at"
	// RebootOperationAnnotation on a Machine holds the operationID of the power cycle that a remediation asked for last. It
	// stays when RebootAnnotation is taken away, so the same operation is never asked for twice.
	RebootOperationAnnotation = "sickbay.dev/reboot-operation"
)

// RebootRequested reports whether a power cycle is asked for and not yet done.
func RebootRequested(machine *clusterv1.Machine) bool {
	_, ok := machine.Annotations[RebootAnnotation]
	return ok
}

// RebootOperation returns the operationID of the attempt for which a power cycle is
// asked for; empty if none is, or if somebody else than a record asks.
func RebootOperation(machine client.Object) string {
	annotations := machine.GetAnnotations()
	if operation := annotations[RebootOperationAnnotation]; operation == annotations[RebootAnnotation] {
		return operation
	}
	return ""
}

// RebootRequestedByHealthCheck reports whether it was a health check that asked for a
// power cycle, and not a person.
func RebootRequestedByHealthCheck(machine client.Object) bool {
	asked, requested := machine.GetAnnotations()[RebootAnnotation]
	at, ever := machine.GetAnnotations()[RebootRequestedAtAnnotation]
	return RebootOperation(machine) != "" || requested && ever && asked == at
}

// RebootDueAt is when a Machine may be rebooted again: after pause since the last
// time. Zero means at once.
func RebootDueAt(machine *clusterv1.Machine, pause time.Duration) time.Time {
	last, err := time.Parse(time.RFC3339, machine.Annotations[RebootRequestedAtAnnotation])
	if err != nil {
		return time.Time{}
	}
	return last.Add(pause)
}
