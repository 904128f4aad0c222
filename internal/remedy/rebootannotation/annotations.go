// Package rebootannotation has the annotations on a Machine that concern power cycles, and reads who asks for a cycle and for which
// attempt. It is pure. Package remedy writes Request and Operation, and the controller externalremediation writes Outcome.
package rebootannotation

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

const (
	// Request on a Machine asks for a power cycle of its host. The controller that carries it out removes it at the end. If a
	// record asks, its value is that of Operation; a person may set any value.
	Request = "reboot.metal3.io"
	// Operation on a Machine is the operation ID of the power cycle that a remediation last asked for. It stays when Request is
	// removed, so the same operation is never asked for twice.
	Operation = "sickbay.dev/reboot-operation"
	// Outcome on an OpenShift Machine says why power-cycling its host did not heal it. The controller externalremediation writes it,
	// and removes it with the annotation by which OpenShift's health check asked.
	Outcome = "sickbay.dev/external-remediation-outcome"
)

// OperationOf returns the operation ID of the attempt that asks for a power cycle; empty if none does, or if somebody other
// than a record asks.
func OperationOf(machine metav1.Object) string {
	annotations := machine.GetAnnotations()
	if operation := annotations[Operation]; operation == annotations[Request] {
		return operation
	}
	return ""
}
