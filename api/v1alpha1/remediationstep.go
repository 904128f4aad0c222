package v1alpha1

// Action says what a step does. An action that this version does not know leads to Held.
// +kubebuilder:validation:Enum=Wait;Request;Reboot;Replace;Hold
type Action string

// The actions.
const (
	// ActionWait does nothing for the time of the step: many machines recover by themselves.
	ActionWait Action = "Wait"
	// ActionRequest makes a remediation request from a template, for a controller outside of Sickbay.
	ActionRequest Action = "Request"
	// ActionReboot power-cycles the host of the machine.
	ActionReboot Action = "Reboot"
	// ActionReplace asks the owner of the machine to replace it, or deletes the machine: if no controller owns it, or the step says so.
	ActionReplace Action = "Replace"
	// ActionHold leaves the machine to a person.
	ActionHold Action = "Hold"
)

// DoneWhen says when a Request step has done its part.
// +kubebuilder:validation:Enum=MachineHealthy;RequestSucceeded
type DoneWhen string

const (
	// DoneWhenMachineHealthy waits until the machine is healthy. The request is deleted then.
	DoneWhenMachineHealthy DoneWhen = "MachineHealthy"
	// DoneWhenRequestSucceeded waits for the condition Succeeded of the request, for evidence, tickets and resets. Then
	// the next step follows, and the request stays until the MachineRemediation goes.
	DoneWhenRequestSucceeded DoneWhen = "RequestSucceeded"
)

// ReplaceBy says who deletes the machine of a Replace step.
// +kubebuilder:validation:Enum=Owner;Deletion
type ReplaceBy string

const (
	// ReplaceByOwner asks the owner of the machine to replace it. Cluster API's MachineSets and KubeadmControlPlanes answer.
	ReplaceByOwner ReplaceBy = "Owner"
	// ReplaceByDeletion deletes the machine, for owners that make another one for each that is deleted, but never answer: a MachinePool, or a
	// MachineDeployment with the strategy OnDelete. A machine of a control plane is never deleted by it.
	ReplaceByDeletion ReplaceBy = "Deletion"
)

// Approval says whether a person has to agree before an attempt of a step may act.
// +kubebuilder:validation:Enum=NotRequired;Required
type Approval string

const (
	// ApprovalNotRequired lets attempts act by themselves.
	ApprovalNotRequired Approval = "NotRequired"
	// ApprovalRequired waits for the decision Approve on each attempt.
	ApprovalRequired Approval = "Required"
)

// StepTemplateReference names a template in the namespace of the MachineRemediation.
type StepTemplateReference struct {
	// apiVersion is the group and the version of the template, as group/version.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +required
	APIVersion string `json:"apiVersion,omitempty"`
	// kind of the template. It ends in Template.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?Template$`
	// +required
	Kind string `json:"kind,omitempty"`
	// name of the template.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	// +required
	Name string `json:"name,omitempty"`
}

// RemediationStep is one step of a plan.
//
// +kubebuilder:validation:XValidation:rule="self.action != 'Request' || has(self.templateRef)",message="is required for the action Request",fieldPath=".templateRef"
// +kubebuilder:validation:XValidation:rule="self.action in ['Request', 'Reboot'] || !has(self.templateRef)",message="is for the actions Request and Reboot only",fieldPath=".templateRef"
// +kubebuilder:validation:XValidation:rule="self.action != 'Reboot' || !has(self.templateRef) || (self.templateRef.kind == 'RebootRemediationTemplate' && self.templateRef.apiVersion.startsWith('sickbay.dev/'))",message="must be a RebootRemediationTemplate of sickbay.dev for the action Reboot",fieldPath=".templateRef"
// +kubebuilder:validation:XValidation:rule="self.action == 'Request' || !has(self.doneWhen) || self.doneWhen == 'MachineHealthy'",message="may be RequestSucceeded for the action Request only",fieldPath=".doneWhen"
// +kubebuilder:validation:XValidation:rule="self.action == 'Hold' || has(self.timeoutSeconds)",message="is required for every action but Hold",fieldPath=".timeoutSeconds"
// +kubebuilder:validation:XValidation:rule="self.action != 'Hold' || !has(self.timeoutSeconds)",message="must not be set for the action Hold, which a person ends",fieldPath=".timeoutSeconds"
// +kubebuilder:validation:XValidation:rule="self.action == 'Replace' || !has(self.by)",message="is for the action Replace only",fieldPath=".by"
type RemediationStep struct {
	// name of the step: a DNS label, unique in its plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name,omitempty"`
	// action is what the step does.
	// +required
	Action Action `json:"action,omitempty"`
	// templateRef names a template. The action Request needs one, of a kind that is not Sickbay's. The action Reboot may
	// have a RebootRemediationTemplate. No other action has one.
	// +optional
	TemplateRef *StepTemplateReference `json:"templateRef,omitempty"`
	// doneWhen says when the step is done: RequestSucceeded is for the action Request only. Default: MachineHealthy.
	// +kubebuilder:default=MachineHealthy
	// +optional
	DoneWhen DoneWhen `json:"doneWhen,omitempty"`
	// by says who deletes the machine of the action Replace: its owner, which is asked to, or Sickbay, for an owner that makes another machine
	// for each that is deleted but does not answer. Default: Owner.
	// +optional
	By ReplaceBy `json:"by,omitempty"`
	// until is the last step of a power cycle that was asked for: PowerOff or Delete. Afterwards the host stays off until somebody asks for
	// more, or the MachineRemediation is deleted. Only somebody who asks without a finding may set it. Absent: the whole cycle.
	// +kubebuilder:validation:Enum=PowerOff;Delete
	// +optional
	Until Step `json:"until,omitempty"`
	// attempts is how often the step is tried before the next one follows. Default: 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=11
	// +kubebuilder:default=1
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// timeoutSeconds is how long one attempt may take. It is required for every action but Hold, which a person ends.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// approval says whether a person has to agree before each attempt. Default: NotRequired.
	// +kubebuilder:default=NotRequired
	// +optional
	Approval Approval `json:"approval,omitempty"`
}

// NeedsApproval reports whether a person has to agree before an attempt of the step may act. For what only a later version knows, one has.
func (s RemediationStep) NeedsApproval() bool {
	return s.Approval != "" && s.Approval != ApprovalNotRequired
}

// Deletes reports whether the step deletes the machine, whatever controller owns it.
func (s RemediationStep) Deletes() bool {
	return s.Action == ActionReplace && s.By == ReplaceByDeletion
}

// Marks reports whether the step asks the owner of the machine, if it has one, to replace it.
func (s RemediationStep) Marks() bool { return s.Action == ActionReplace && s.By != ReplaceByDeletion }
