package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

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
	// +kubebuilder:validation:MaxLength=63
	// +required
	StartAt string `json:"startAt,omitempty"`
}

// RemediationPlan says how sick machines are repaired.
//
// +kubebuilder:validation:XValidation:rule="!has(self.rules) || self.rules.all(r, self.steps.exists(s, s.name == r.startAt))",message="startAt of every rule must be the name of a step",fieldPath=".rules"
// +kubebuilder:validation:XValidation:rule="!has(self.maxInFlight) || (type(self.maxInFlight) == int ? self.maxInFlight >= 1 && self.maxInFlight <= 2147483647 : self.maxInFlight.matches('^([1-9][0-9]?|100)%$'))",message="must be a number from 1 to 2147483647, or a percentage from 1% to 100%",fieldPath=".maxInFlight"
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
