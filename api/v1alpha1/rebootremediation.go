package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Isolation says how a Node is taken out of service while its host is proven off.
// +kubebuilder:validation:Enum=DeleteNode;OutOfServiceTaint
type Isolation string

const (
	// DeleteNode deletes the Node object, the step of the Metal3 design. Its labels, annotations, taints
	// and cordon are kept, and put back when the host has registered again.
	DeleteNode Isolation = "DeleteNode"
	// OutOfServiceTaint taints the Node with node.kubernetes.io/out-of-service, which makes Kubernetes
	// delete its Pods and detach its volumes. It needs Kubernetes 1.28 or newer in the workload cluster.
	OutOfServiceTaint Isolation = "OutOfServiceTaint"
)

// Step is a part of a cycle, by the names of the Metal3 design.
type Step string

// The steps, in the order in which they are always taken.
const (
	StepPowerOff Step = "PowerOff"
	StepDelete   Step = "Delete"
	StepPowerOn  Step = "PowerOn"
)

// MachineReference names a Machine in the namespace of the RebootRemediation.
type MachineReference struct {
	// apiGroup of the Machine: cluster.x-k8s.io or machine.openshift.io.
	// +kubebuilder:validation:Enum=cluster.x-k8s.io;machine.openshift.io
	// +required
	APIGroup string `json:"apiGroup,omitempty"`
	// name of the Machine.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	// +required
	Name string `json:"name,omitempty"`
}

// RebootSettings say how to cycle. They cannot be changed once a RebootRemediation exists.
type RebootSettings struct {
	// retryLimit is how many further cycles are tried if one does not bring the Node back. The default
	// is 1, so two cycles in all. It is for requests: a cycle of a MachineRemediation is always one.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	// +kubebuilder:default=1
	// +optional
	RetryLimit *int32 `json:"retryLimit,omitempty"`
	// powerOffTimeoutSeconds is how long it may take until the host is proven off. A host that was already off gets 2m15s more,
	// because the proof takes longer. Default: 600.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:default=600
	// +optional
	PowerOffTimeoutSeconds *int32 `json:"powerOffTimeoutSeconds,omitempty"`
	// powerOnTimeoutSeconds is how long it may take until the host is seen on again. Default: 600.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:default=600
	// +optional
	PowerOnTimeoutSeconds *int32 `json:"powerOnTimeoutSeconds,omitempty"`
	// nodeTimeoutSeconds is how long the Node may take to come back, counted from when the host was seen on; and then how long it may
	// take until its labels, annotations, taints and cordon are restored and it is Ready. Default: 1200.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:default=1200
	// +optional
	NodeTimeoutSeconds *int32 `json:"nodeTimeoutSeconds,omitempty"`
	// isolation says how the Node is taken out of service. Without it, Sickbay decides for each cycle: OutOfServiceTaint if a Cluster
	// Autoscaler looks after the machine's owner, and otherwise DeleteNode.
	// +optional
	Isolation Isolation `json:"isolation,omitempty"`
}

// RebootRemediationSpec says which machine to cycle, and how.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec is immutable: delete the RebootRemediation and create another"
type RebootRemediationSpec struct {
	// machine is the Machine to cycle. Its name must be that of the RebootRemediation unless requestedBy is set. Default: the Machine that
	// owns the RebootRemediation, as Cluster API sets it, or else the Machine of cluster.x-k8s.io with that name.
	// +optional
	Machine *MachineReference `json:"machine,omitempty"`
	// requestedBy says who asked for the cycle. With it, the RebootRemediation may have any name. A record is a
	// MachineRemediation. Absent: a health check if the Machine owns the RebootRemediation, as Cluster API sets it, or
	// else a person.
	// +optional
	RequestedBy *RebootRequester `json:"requestedBy,omitempty"`
	// until is the step after which the cycle stops and holds the host off: PowerOff or Delete. It goes on by steps that annotations
	// of the Machine ask for, and lets go of the host if it is deleted. Absent: the full cycle.
	// +kubebuilder:validation:Enum=PowerOff;Delete
	// +optional
	Until          Step `json:"until,omitempty"`
	RebootSettings `json:",inline"`
}

// RebootRemediation is one power cycle of the host of a machine if a MachineRemediation has made it (requestedBy of kind Record). Any other asks
// for a MachineRemediation that has the host cycled. Only health checks create one with the name of the Machine: Cluster API's own controller
// deletes that one as soon as the machine is healthy, no matter who created it. Only one at a time cycles a machine.
//
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=rebootremediations,scope=Namespaced,categories=cluster-api,shortName=rbr
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Host",type=string,JSONPath=`.status.host.name`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.status.node.name`
// +kubebuilder:printcolumn:name="Off since",type=date,JSONPath=`.status.poweredOffAt`
// +kubebuilder:printcolumn:name="On since",type=date,JSONPath=`.status.lastPoweredOn`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(self.spec.machine) || has(self.spec.requestedBy) || self.spec.machine.name == self.metadata.name",message="must be the name of the RebootRemediation, unless spec.requestedBy is set",fieldPath=".spec.machine.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.requestedBy) || self.spec.requestedBy.kind != 'Record' || has(self.spec.machine)",message="is required for a record",fieldPath=".spec.machine",reason=FieldValueRequired
type RebootRemediation struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// The default makes sure that there is a spec. The rule on spec does not apply to one that is absent, so
	// without the default somebody could add it later.

	// spec says which machine to cycle, and how.
	// +kubebuilder:default={}
	// +optional
	Spec RebootRemediationSpec `json:"spec,omitzero"`
	// The default makes those who ask kstatus wait until Sickbay has seen the object.

	// status is what Sickbay reports. Nobody else writes it.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status RebootRemediationStatus `json:"status,omitzero"`
}

// RebootRemediationList is a list of RebootRemediations.
//
// +kubebuilder:object:root=true
type RebootRemediationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RebootRemediation `json:"items"`
}

// GetConditions returns the conditions of the status, as Cluster API's helpers ask for them.
func (r *RebootRemediation) GetConditions() []metav1.Condition { return r.Status.Conditions }

// SetConditions replaces the conditions of the status.
func (r *RebootRemediation) SetConditions(conditions []metav1.Condition) {
	r.Status.Conditions = conditions
}
