package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// PlanMode says how much of a plan is carried out.
// +kubebuilder:validation:Enum=Observe;Approve;Act
type PlanMode string

// The modes.
const (
	// ModeObserve makes no MachineRemediation; the status of the MachineHealthCheck tells what would be done.
	ModeObserve PlanMode = "Observe"
	// ModeApprove has a person approve each step but Wait and Hold.
	ModeApprove PlanMode = "Approve"
	// ModeAct carries the plan out.
	ModeAct PlanMode = "Act"
)

// PacingDomain says what shares the consequences of a repair.
// +kubebuilder:validation:Enum=Owner;FailureDomain
type PacingDomain string

// The domains.
const (
	// DomainOwner is the controller that owns the machine.
	DomainOwner PacingDomain = "Owner"
	// DomainFailureDomain is the failure domain of the machine.
	DomainFailureDomain PacingDomain = "FailureDomain"
)

// RemediationPacing slows repairs down where they turn out in vain.
type RemediationPacing struct {
	// domains in which it is counted: Owner, FailureDomain or both.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +listType=set
	// +required
	Domains []PacingDomain `json:"domains,omitempty"`
}

// RemediationRule says where in the plan a repair begins.
type RemediationRule struct {
	// name of the rule, unique in its plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name,omitempty"`
	// expression in CEL that is true if the rule applies. It may use findings, machine and attempts.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	// +required
	Expression string `json:"expression,omitempty"`
	// startAt is the name of the step to begin with.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	StartAt string `json:"startAt,omitempty"`
}

// RemediationPlan says how sick machines are repaired.
//
// +kubebuilder:validation:XValidation:rule="!has(self.rules) || self.rules.all(r, self.steps.exists(s, s.name == r.startAt))",message="startAt of every rule must be the name of a step",fieldPath=".rules"
// +kubebuilder:validation:XValidation:rule="!has(self.maxInFlight) || (type(self.maxInFlight) == int ? self.maxInFlight >= 1 : self.maxInFlight.matches('^([1-9][0-9]?|100)%$'))",message="must be a number of at least 1, or a percentage from 1% to 100%",fieldPath=".maxInFlight"
type RemediationPlan struct {
	// mode says how much of the plan is carried out. Default: Act.
	// +kubebuilder:default=Act
	// +optional
	Mode PlanMode `json:"mode,omitempty"`
	// maxInFlight is how many machines of a MachineHealthCheck are repaired at once: a number, or a percentage of its
	// machines, rounded down but at least one. Default: no bound.
	// +kubebuilder:validation:XIntOrString
	// +optional
	MaxInFlight *intstr.IntOrString `json:"maxInFlight,omitempty"`
	// steps in their order.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	// +required
	Steps []RemediationStep `json:"steps,omitempty"`
	// rules say where to begin; the first that applies decides.
	// +kubebuilder:validation:MaxItems=32
	// +listType=map
	// +listMapKey=name
	// +optional
	Rules []RemediationRule `json:"rules,omitempty"`
	// probationSeconds is how long a machine has to be healthy without a break before it counts as repaired.
	// Default: 300.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:default=300
	// +optional
	ProbationSeconds *int32 `json:"probationSeconds,omitempty"`
	// relapseWindowSeconds is for how long a repair is remembered: a machine that falls sick again for the same reason
	// begins at the step after the last that was tried. Default: 604800, a week.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=31536000
	// +kubebuilder:default=604800
	// +optional
	RelapseWindowSeconds *int32 `json:"relapseWindowSeconds,omitempty"`
	// pacing slows repairs down where they turn out in vain. Default: none.
	// +optional
	Pacing *RemediationPacing `json:"pacing,omitempty"`
}

// MachineRemediationTemplateResource holds the plan.
type MachineRemediationTemplateResource struct {
	// spec is the plan.
	// +required
	Spec RemediationPlan `json:"spec,omitzero"`
}

// MachineRemediationTemplateSpec holds the template.
type MachineRemediationTemplateSpec struct {
	// template holds the plan, as Cluster API's contract for remediation templates has it.
	// +required
	Template MachineRemediationTemplateResource `json:"template,omitzero"`
}

// MachineRemediationTemplateStatus says whether the plan can be used.
type MachineRemediationTemplateStatus struct {
	// conditions: Accepted.
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
	// status is written by Sickbay alone.
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
