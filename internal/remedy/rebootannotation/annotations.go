// Package rebootannotation has the annotations on a Machine that concern power cycles, and reads who asks for a cycle and for which
// attempt. It is pure. Package remedy writes Request and Operation, and the controller externalremediation writes Outcome.
package rebootannotation

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Request on a Machine asks for a power cycle of its host. The controller that carries it out removes it at the end. If a
	// health check asks, its value is the value of Operation or, in the previous version, of RequestedAt; a person may set any
	// value.
	Request = "reboot.metal3.io"
	// RequestedAt on a Machine is the RFC 3339 time at which the previous version of Sickbay last asked. A host that has just
	// been cycled needs time to come up, and must not be cycled again meanwhile.
	RequestedAt = "sickbay.dev/reboot-requested-at"
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

// ByHealthCheck reports whether a health check, and not a person, asks for a power cycle.
func ByHealthCheck(machine metav1.Object) bool {
	return OperationOf(machine) != "" || ByEarlierVersion(machine)
}

// ByEarlierVersion reports whether a health check of a version without records asks for a power cycle.
func ByEarlierVersion(machine metav1.Object) bool {
	annotations := machine.GetAnnotations()
	value := annotations[Request]
	return value != "" && value == annotations[RequestedAt]
}

// DueAt returns until when to wait for a power cycle that the previous version asked for. Zero means that there is nothing to wait for.
func DueAt(machine metav1.Object, wait time.Duration) time.Time {
	last, err := time.Parse(time.RFC3339, machine.GetAnnotations()[RequestedAt])
	if err != nil {
		return time.Time{}
	}
	return last.Add(wait)
}
