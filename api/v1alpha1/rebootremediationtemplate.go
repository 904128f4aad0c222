package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RebootRemediationTemplate is what RebootRemediations are made from, for the templateRef of a
// MachineHealthCheck.
//
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:metadata:labels="clusterctl.cluster.x-k8s.io="
// +kubebuilder:metadata:labels="clusterctl.cluster.x-k8s.io/move="
// +kubebuilder:resource:path=rebootremediationtemplates,scope=Namespaced,categories=cluster-api
// +kubebuilder:printcolumn:name="Isolation",type=string,JSONPath=`.spec.template.spec.isolation`
// +kubebuilder:printcolumn:name="Retries",type=integer,JSONPath=`.spec.template.spec.retryLimit`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type RebootRemediationTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// spec of the template; every field has a default.
	// +kubebuilder:default={}
	// +optional
	Spec RebootRemediationTemplateSpec `json:"spec,omitzero"`
}

// RebootRemediationTemplateSpec holds the template.
type RebootRemediationTemplateSpec struct {
	// template of the RebootRemediations.
	// +kubebuilder:default={}
	// +optional
	Template RebootRemediationTemplateResource `json:"template,omitzero"`
}

// RebootRemediationTemplateResource is what is copied into each RebootRemediation.
type RebootRemediationTemplateResource struct {
	// spec of the RebootRemediations, without the Machine, which differs for each.
	// +kubebuilder:default={}
	// +optional
	Spec RebootSettings `json:"spec,omitzero"`
}

// RebootRemediationTemplateList is a list of RebootRemediationTemplates.
//
// +kubebuilder:object:root=true
type RebootRemediationTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RebootRemediationTemplate `json:"items"`
}
