package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// PlanMode says how much of a plan is carried out.
// +kubebuilder:validation:Enum=Observe;Approve;Act
type PlanMode string

// The modes.
const (
	// ModeObserve makes no MachineRemediation; the status of the MachineHealthCheck says what would be done.
	ModeObserve PlanMode = "Observe"
	// ModeApprove requires a person's approval for each step but Wait and Hold.
	ModeApprove PlanMode = "Approve"
	// ModeAct carries the plan out.
	ModeAct PlanMode = "Act"
)

// PacingDomain says which machines count together.
// +kubebuilder:validation:Enum=Owner;FailureDomain
type PacingDomain string

// The domains.
const (
	// DomainOwner counts the machines of one owner together.
	DomainOwner PacingDomain = "Owner"
	// DomainFailureDomain counts the machines of one failure domain together.
	DomainFailureDomain PacingDomain = "FailureDomain"
)

// RemediationPacing slows repairs down where they do not help.
type RemediationPacing struct {
	// domains say which machines count together.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +listType=set
	// +required
	Domains []PacingDomain `json:"domains,omitempty"`
}

// RemediationRule says where in the plan a repair begins.
type RemediationRule struct {
	// name of the rule: a DNS label, unique in its plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name,omitempty"`
	// expression is CEL that is true if the rule applies. It may use findings, machine and attempts. The condition
	// Accepted says whether it can be evaluated.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	// +required
	Expression string `json:"expression,omitempty"`
	// startAt is the name of the step to begin with.
	// +kubebuilder:validation:MaxLength=63
	// +required
	StartAt string `json:"startAt,omitempty"`
}

// RemediationPlan says how sick machines are repaired.
//
// +kubebuilder:validation:XValidation:rule="self.steps.all(s, self.steps.exists_one(o, o.name == s.name))",message="two steps must not have the same name",fieldPath=".steps"
// +kubebuilder:validation:XValidation:rule="!has(self.rules) || self.rules.all(r, self.rules.exists_one(o, o.name == r.name))",message="two rules must not have the same name",fieldPath=".rules"
// +kubebuilder:validation:XValidation:rule="self.steps.all(s, s.action != 'Request' || !has(s.templateRef) || !s.templateRef.apiVersion.startsWith('sickbay.dev/'))",message="a step with the action Request must not name a template of sickbay.dev; the action Reboot takes a RebootRemediationTemplate",fieldPath=".steps"
// +kubebuilder:validation:XValidation:rule="!has(self.rules) || self.rules.all(r, self.steps.exists(s, s.name == r.startAt))",message="startAt of every rule must be the name of a step",fieldPath=".rules"
// +kubebuilder:validation:XValidation:rule="!has(self.maxInFlight) || (type(self.maxInFlight) == int ? self.maxInFlight >= 1 && self.maxInFlight <= 2147483647 : self.maxInFlight.matches('^([1-9][0-9]?|100)%$'))",message="must be a number of at least 1, without quotes, or a percentage from 1% to 100%",fieldPath=".maxInFlight"
// +kubebuilder:validation:XValidation:rule="self.steps.all(s, !has(s.until))",message="until is for what somebody asks for without a finding",fieldPath=".steps"
type RemediationPlan struct {
	// mode says how much of the plan is carried out. Default: Act.
	// +kubebuilder:default=Act
	// +optional
	Mode PlanMode `json:"mode,omitempty"`
	// maxInFlight is how many machines of a MachineHealthCheck are repaired at once: a number of at least 1, or a
	// percentage of its machines from 1% to 100%, rounded down but at least one machine. Default: no bound.
	// +kubebuilder:validation:XIntOrString
	// +optional
	MaxInFlight *intstr.IntOrString `json:"maxInFlight,omitempty"`
	// steps are tried one after the other, in their order, until the machine is healthy.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	// +required
	Steps []RemediationStep `json:"steps,omitempty"`
	// rules say where to begin; the first that applies decides.
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	// +optional
	Rules []RemediationRule `json:"rules,omitempty"`
	// probationSeconds is how long a machine has to be healthy without a break before it counts as repaired. 0
	// means no probation. Default: 300.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +kubebuilder:default=300
	// +optional
	ProbationSeconds *int32 `json:"probationSeconds,omitempty"`
	// relapseWindowSeconds is how long Sickbay remembers a repair: a machine that falls sick again for the same reason
	// begins at the step after the last that was tried. 0 means not at all; 604800 is a week. Default: 604800.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=31536000
	// +kubebuilder:default=604800
	// +optional
	RelapseWindowSeconds *int32 `json:"relapseWindowSeconds,omitempty"`
	// pacing slows repairs down where they do not help. Default: none.
	// +optional
	Pacing *RemediationPacing `json:"pacing,omitempty"`
}
