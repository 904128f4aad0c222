package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MachineRemediationTemplateResource holds the plan.
type MachineRemediationTemplateResource struct {
	// spec is the plan.
	// +required
	Spec RemediationPlan `json:"spec,omitzero"`
}

// MachineRemediationTemplateSpec holds the template.
type MachineRemediationTemplateSpec struct {
	// template holds the plan, as Cluster API's contract for remediation templates requires.
	// +required
	Template MachineRemediationTemplateResource `json:"template,omitzero"`
}

// MachineRemediationTemplateStatus says whether the plan can be used.
type MachineRemediationTemplateStatus struct {
	// observedGeneration is the generation of the spec that Sickbay saw last; -1 before it has seen any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions: Accepted, and Stalled while that is False.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MachineRemediationTemplate is a plan for the repair of machines, for the templateRef of a MachineHealthCheck.
//
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:metadata:labels="clusterctl.cluster.x-k8s.io="
// +kubebuilder:metadata:labels="clusterctl.cluster.x-k8s.io/move="
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=machineremediationtemplates,scope=Namespaced,categories={sickbay,cluster-api},shortName=mrt
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.template.spec.mode`
// +kubebuilder:printcolumn:name="Max in flight",type=string,JSONPath=`.spec.template.spec.maxInFlight`
// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MachineRemediationTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec of the template.
	// +required
	Spec MachineRemediationTemplateSpec `json:"spec,omitzero"`
	// The default makes those who ask kstatus wait until Sickbay has seen the object.

	// status is written by Sickbay alone.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status MachineRemediationTemplateStatus `json:"status,omitzero"`
}

// MachineRemediationTemplateList is a list of MachineRemediationTemplates.
//
// +kubebuilder:object:root=true
type MachineRemediationTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MachineRemediationTemplate `json:"items"`
}

// GetConditions returns the conditions of the status, as Cluster API's helpers ask for them.
func (t *MachineRemediationTemplate) GetConditions() []metav1.Condition { return t.Status.Conditions }

// SetConditions replaces the conditions of the status.
func (t *MachineRemediationTemplate) SetConditions(conditions []metav1.Condition) {
	t.Status.Conditions = conditions
}
