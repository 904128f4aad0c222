package v1alpha1

import "k8s.io/apimachinery/pkg/types"

// RequesterKind says what asked for a power cycle.
// +kubebuilder:validation:Enum=Person;HealthCheck;Record
type RequesterKind string

// The kinds of requesters.
const (
	// RequestedByPerson: a person made the RebootRemediation.
	RequestedByPerson RequesterKind = "Person"
	// RequestedByHealthCheck: another system's health check made it.
	RequestedByHealthCheck RequesterKind = "HealthCheck"
	// RequestedByRecord: a MachineRemediation made it, for a step of its plan.
	RequestedByRecord RequesterKind = "Record"
)

// RebootRequester says who asked for a power cycle.
// +kubebuilder:validation:XValidation:rule="self.kind != 'Record' || has(self.name)",message="is required for a record",fieldPath=".name",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="self.kind != 'Record' || has(self.operationID)",message="is required for a record",fieldPath=".operationID",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!has(self.operationID) || self.kind == 'Record'",message="is for a record only",fieldPath=".operationID"
type RebootRequester struct {
	// kind of the requester.
	// +required
	Kind RequesterKind `json:"kind,omitempty"`
	// name of the person, or of the MachineRemediation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Name string `json:"name,omitempty"`
	// uid of the MachineRemediation.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=63
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// operationID names the attempt that this cycle carries out: the UID of the MachineRemediation, a slash and the number of
	// the attempt. The MachineRemediation decides what follows.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	OperationID string `json:"operationID,omitempty"`
}

// ForRecord reports whether a cycle is an attempt of a MachineRemediation, which decides what follows.
func (r *RebootRequester) ForRecord() bool {
	return r != nil && r.Kind == RequestedByRecord
}
