package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Labels, annotations and the finalizer of a MachineRemediation.
const (
	// OpenLabel is on a MachineRemediation until it has ended. Its value is empty.
	OpenLabel = "sickbay.dev/open"
	// MachineUIDLabel on a MachineRemediation holds the UID of its machine.
	MachineUIDLabel = "sickbay.dev/machine-uid"
	// OrdinalAnnotation on a MachineRemediation says which of its machine's remediations it is, counted from 1.
	OrdinalAnnotation = "sickbay.dev/ordinal"
	// RemediationFinalizer keeps a MachineRemediation until nothing that it asked for stands any more.
	RemediationFinalizer = "sickbay.dev/remediation"
	// OperationAnnotation on whatever an attempt makes or marks holds the operationID of that attempt.
	OperationAnnotation = "sickbay.dev/operation-id"
)

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
	// ActionReplace has the owner of the machine replace it, or deletes the machine if no controller owns it.
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

// Approval says whether a person has to agree before an attempt of a step may act.
// +kubebuilder:validation:Enum=NotRequired;Required
type Approval string

const (
	// ApprovalNotRequired lets attempts act by themselves.
	ApprovalNotRequired Approval = "NotRequired"
	// ApprovalRequired waits for the decision Approve on each attempt.
	ApprovalRequired Approval = "Required"
)

// Answer is what a person decides.
// +kubebuilder:validation:Enum=Approve;Deny;Retry;Cancel
type Answer string

const (
	// AnswerApprove lets the attempt act that waits for approval.
	AnswerApprove Answer = "Approve"
	// AnswerDeny keeps the attempt from acting. The remediation is Held.
	AnswerDeny Answer = "Deny"
	// AnswerRetry begins a step with fresh attempts, the first of them approved.
	AnswerRetry Answer = "Retry"
	// AnswerCancel withdraws what stands. The remediation is Held until somebody answers Retry.
	AnswerCancel Answer = "Cancel"
)

// StepTemplateReference names a template in the namespace of the MachineRemediation.
type StepTemplateReference struct {
	// apiVersion of the template, as group/version.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +required
	APIVersion string `json:"apiVersion,omitempty"`
	// kind of the template; it ends in Template.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z][a-zA-Z0-9]*Template$`
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
// +kubebuilder:validation:XValidation:rule="self.action != 'Request' || !has(self.templateRef) || !self.templateRef.apiVersion.startsWith('sickbay.dev/')",message="must not be a template of sickbay.dev for the action Request: use the action Reboot",fieldPath=".templateRef"
// +kubebuilder:validation:XValidation:rule="self.action == 'Request' || !has(self.doneWhen) || self.doneWhen == 'MachineHealthy'",message="may be RequestSucceeded for the action Request only",fieldPath=".doneWhen"
// +kubebuilder:validation:XValidation:rule="self.action == 'Hold' || has(self.timeoutSeconds)",message="is required for every action but Hold",fieldPath=".timeoutSeconds"
// +kubebuilder:validation:XValidation:rule="self.action != 'Hold' || !has(self.timeoutSeconds)",message="is not for the action Hold: a person ends it",fieldPath=".timeoutSeconds"
type RemediationStep struct {
	// name of the step, unique in its plan.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name,omitempty"`
	// action that the step takes.
	// +required
	Action Action `json:"action,omitempty"`
	// templateRef names the template for the actions Request, where it is required, and Reboot, where it may be a
	// RebootRemediationTemplate.
	// +optional
	TemplateRef *StepTemplateReference `json:"templateRef,omitempty"`
	// doneWhen says when the step is done. Default: MachineHealthy.
	// +kubebuilder:default=MachineHealthy
	// +optional
	DoneWhen DoneWhen `json:"doneWhen,omitempty"`
	// attempts is how often the step is tried before the next one follows. Default: 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	// +kubebuilder:default=1
	// +optional
	Attempts int32 `json:"attempts,omitempty"`
	// timeoutSeconds is how long one attempt may take. It is required for every action but Hold.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// approval says whether a person has to agree before each attempt. Default: NotRequired.
	// +kubebuilder:default=NotRequired
	// +optional
	Approval Approval `json:"approval,omitempty"`
}

// RemediatedMachineReference tells the machine of a MachineRemediation from others of its name.
type RemediatedMachineReference struct {
	// apiGroup of the Machine.
	// +kubebuilder:validation:Enum=cluster.x-k8s.io;machine.openshift.io
	// +required
	APIGroup string `json:"apiGroup,omitempty"`
	// name of the Machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid of the Machine.
	// +required
	UID types.UID `json:"uid,omitempty"`
}

// RemediationReference tells an object of a known kind from others of its name.
type RemediationReference struct {
	// name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid of the object. Empty if it could not be read.
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// PlanReference tells which generation of a MachineRemediationTemplate a plan was copied from.
type PlanReference struct {
	// name of the MachineRemediationTemplate.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid of the MachineRemediationTemplate.
	// +required
	UID types.UID `json:"uid,omitempty"`
	// generation that was copied.
	// +kubebuilder:validation:Minimum=1
	// +required
	Generation int64 `json:"generation,omitempty"`
}

// RemediationFinding is the verdict that led to a MachineRemediation.
type RemediationFinding struct {
	// reason of the verdict.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +required
	Reason string `json:"reason,omitempty"`
	// message of the verdict, cut if it is longer.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
	// since is when the verdict fell.
	// +required
	Since metav1.Time `json:"since,omitzero"`
}

// RemediationStart says where in the plan a MachineRemediation begins, and why there.
type RemediationStart struct {
	// step to begin with. Empty: none is left, and a person decides.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Step string `json:"step,omitempty"`
	// reason for it, in one sentence.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`
}

// RemediationDecision is what a person decides about one attempt.
//
// +kubebuilder:validation:XValidation:rule="!has(self.step) || self.answer == 'Retry'",message="is for the answer Retry only",fieldPath=".step"
type RemediationDecision struct {
	// attempt that the decision is about: status.attempt when it was made. A decision about another attempt is not
	// carried out.
	// +kubebuilder:validation:Minimum=1
	// +required
	Attempt int32 `json:"attempt,omitempty"`
	// answer of the person.
	// +required
	Answer Answer `json:"answer,omitempty"`
	// step to begin for the answer Retry. Default: the step that was tried last.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Step string `json:"step,omitempty"`
	// by says who decided.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	By string `json:"by,omitempty"`
	// reason for the decision.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`
}

// MachineRemediationSpec says which machine is repaired, by which plan, and why. It is written when the machine is
// admitted; afterwards only grant and decision change.
//
// The rule on spec names the optional fields twice: one that is added or taken away is a change, too.
//
// +kubebuilder:validation:XValidation:rule="self.clusterName == oldSelf.clusterName && self.machineRef == oldSelf.machineRef && self.healthCheckRef == oldSelf.healthCheckRef && self.finding == oldSelf.finding && self.steps == oldSelf.steps && has(self.nodeRef) == has(oldSelf.nodeRef) && (!has(self.nodeRef) || self.nodeRef == oldSelf.nodeRef) && has(self.hostRef) == has(oldSelf.hostRef) && (!has(self.hostRef) || self.hostRef == oldSelf.hostRef) && has(self.templateRef) == has(oldSelf.templateRef) && (!has(self.templateRef) || self.templateRef == oldSelf.templateRef) && has(self.startAt) == has(oldSelf.startAt) && (!has(self.startAt) || self.startAt == oldSelf.startAt) && has(self.probationSeconds) == has(oldSelf.probationSeconds) && (!has(self.probationSeconds) || self.probationSeconds == oldSelf.probationSeconds)",message="spec is immutable but for grant and decision: delete the MachineRemediation to start over"
// +kubebuilder:validation:XValidation:rule="!has(self.startAt) || !has(self.startAt.step) || size(self.startAt.step) == 0 || self.steps.exists(s, s.name == self.startAt.step)",message="must be the name of a step, or empty",fieldPath=".startAt.step"
// +kubebuilder:validation:XValidation:rule="!has(self.decision) || !has(self.decision.step) || size(self.decision.step) == 0 || self.steps.exists(s, s.name == self.decision.step)",message="must be the name of a step",fieldPath=".decision.step"
type MachineRemediationSpec struct {
	// clusterName is the Cluster of the machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	ClusterName string `json:"clusterName,omitempty"`
	// machineRef is the machine that is repaired.
	// +required
	MachineRef RemediatedMachineReference `json:"machineRef,omitzero"`
	// nodeRef is the Node of the machine at that time; absent if it had none.
	// +optional
	NodeRef *RemediationReference `json:"nodeRef,omitempty"`
	// hostRef is the bare-metal host of the machine at that time; absent if it had none.
	// +optional
	HostRef *RemediationReference `json:"hostRef,omitempty"`
	// healthCheckRef is the MachineHealthCheck that admitted the machine.
	// +required
	HealthCheckRef RemediationReference `json:"healthCheckRef,omitzero"`
	// templateRef is the MachineRemediationTemplate that the plan was copied from; absent for a built-in plan.
	// +optional
	TemplateRef *PlanReference `json:"templateRef,omitempty"`
	// finding is the verdict that led to it.
	// +required
	Finding RemediationFinding `json:"finding,omitzero"`
	// steps of the plan, resolved and copied: what is edited later applies to the next MachineRemediation.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	// +required
	Steps []RemediationStep `json:"steps,omitempty"`
	// startAt is the step to begin with, if a rule or a relapse says so. Default: the first.
	// +optional
	StartAt *RemediationStart `json:"startAt,omitempty"`
	// probationSeconds is how long the machine has to be healthy without a break before it counts as repaired.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +optional
	ProbationSeconds *int32 `json:"probationSeconds,omitempty"`
	// grant counts the slots that Sickbay has given to this MachineRemediation. It never goes down.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="must not be less than before"
	// +optional
	Grant int32 `json:"grant"`
	// decision of a person.
	// +optional
	Decision *RemediationDecision `json:"decision,omitempty"`
}

// RemediationPhase is how far a MachineRemediation has come, for people. No logic reads it.
type RemediationPhase string

// The phases.
const (
	// RemediationPending: nothing of ours stands on the machine. The condition Progressing says what is missing.
	RemediationPending RemediationPhase = "Pending"
	// RemediationActing: an attempt is at work, or something that we asked for still stands.
	RemediationActing RemediationPhase = "Acting"
	// RemediationProbation: the machine is healthy again, and has to stay so for a while.
	RemediationProbation RemediationPhase = "Probation"
	// RemediationHeld: a person decides how to go on.
	RemediationHeld RemediationPhase = "Held"
	// RemediationEnded: it is over, and kept as history.
	RemediationEnded RemediationPhase = "Ended"
)

// AttemptResult is what came of an attempt.
type AttemptResult string

// The results of an attempt. An attempt that is not over has none.
const (
	// ResultSucceeded: the attempt has done what its step is for.
	ResultSucceeded AttemptResult = "Succeeded"
	// ResultFailed: it was carried out, and the machine is not healthy.
	ResultFailed AttemptResult = "Failed"
	// ResultTimedOut: the time of its step is up.
	ResultTimedOut AttemptResult = "TimedOut"
	// ResultRefused: nobody has answered. It does not count.
	ResultRefused AttemptResult = "Refused"
	// ResultAborted: a pause or a person ended it. It does not count.
	ResultAborted AttemptResult = "Aborted"
	// ResultDenied: a person has denied it.
	ResultDenied AttemptResult = "Denied"
	// ResultCancelled: a person has cancelled it.
	ResultCancelled AttemptResult = "Cancelled"
	// ResultUnneeded: the machine has recovered or gone before anything was done.
	ResultUnneeded AttemptResult = "Unneeded"
)

// RemediationObjectReference names what an attempt has made.
type RemediationObjectReference struct {
	// apiVersion of the object.
	// +required
	APIVersion string `json:"apiVersion,omitempty"`
	// kind of the object.
	// +required
	Kind string `json:"kind,omitempty"`
	// name of the object.
	// +required
	Name string `json:"name,omitempty"`
	// uid of the object.
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// RemediationAttempt is one attempt of one step.
type RemediationAttempt struct {
	// number of the attempt, counted from 1 through the MachineRemediation.
	// +required
	Number int32 `json:"number,omitempty"`
	// step that it belongs to.
	// +required
	Step string `json:"step,omitempty"`
	// operationID makes the attempt safe to repeat: <UID of the MachineRemediation>/<number>.
	// +optional
	OperationID string `json:"operationID,omitempty"`
	// startTime is when it began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// endTime is when it was over.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// result says what came of it; empty while it is at work.
	// +optional
	Result AttemptResult `json:"result,omitempty"`
	// message says it in one sentence.
	// +optional
	Message string `json:"message,omitempty"`
	// objectRef is what it made.
	// +optional
	ObjectRef *RemediationObjectReference `json:"objectRef,omitempty"`
	// decision of a person about it.
	// +optional
	Decision *RemediationDecision `json:"decision,omitempty"`
}

// MachineRemediationStatus says how far the repair has come. It has no enumerations: an older definition must not
// refuse a newer controller.
type MachineRemediationStatus struct {
	// observedGeneration is the generation of the spec that was seen last.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase sums it up: Pending, Acting, Probation, Held, Ended.
	// +optional
	Phase RemediationPhase `json:"phase,omitempty"`
	// step is the one that is tried or waited for. Empty: none is left.
	// +optional
	Step string `json:"step,omitempty"`
	// attempt is the number of the one at work, or of the one that is waited for.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`
	// releasedGrant is the value of spec.grant up to which slots were given back.
	// +optional
	ReleasedGrant int32 `json:"releasedGrant,omitempty"`
	// nextTransitionTime is when something happens if nothing changes.
	// +optional
	NextTransitionTime *metav1.Time `json:"nextTransitionTime,omitempty"`
	// stoppedTime is since when a pause has stopped the clock of the attempt at work.
	// +optional
	StoppedTime *metav1.Time `json:"stoppedTime,omitempty"`
	// attempts that were made, the last 64.
	// +listType=map
	// +listMapKey=number
	// +optional
	Attempts []RemediationAttempt `json:"attempts,omitempty"`
	// replacementRef is the MachineRemediation of the successor, if that fell sick in turn.
	// +optional
	ReplacementRef *RemediationReference `json:"replacementRef,omitempty"`
	// startTime is when the first attempt began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// recoveryTime is since when the machine has been healthy without a break.
	// +optional
	RecoveryTime *metav1.Time `json:"recoveryTime,omitempty"`
	// completionTime is when the remediation ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// conditions: Progressing says what happens next and for whom it waits, Succeeded how it ended.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MachineRemediation is all that is done about one machine from when it was admitted to repair until it is healthy or
// gone. It outlives the machine.
//
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=machineremediations,scope=Namespaced,categories={sickbay,cluster-api},shortName=mr
// +kubebuilder:printcolumn:name="Machine",type=string,JSONPath=`.spec.machineRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Step",type=string,JSONPath=`.status.step`
// +kubebuilder:printcolumn:name="Attempt",type=integer,JSONPath=`.status.attempt`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].reason`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.nextTransitionTime`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MachineRemediation struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says which machine is repaired, by which plan, and why.
	// +required
	Spec MachineRemediationSpec `json:"spec,omitzero"`
	// status is written by Sickbay alone.
	// +optional
	Status MachineRemediationStatus `json:"status,omitzero"`
}

// MachineRemediationList is a list of MachineRemediations.
//
// +kubebuilder:object:root=true
type MachineRemediationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MachineRemediation `json:"items"`
}

// GetConditions returns the conditions of the status, as Cluster API's helpers ask for them.
func (r *MachineRemediation) GetConditions() []metav1.Condition { return r.Status.Conditions }

// SetConditions replaces the conditions of the status.
func (r *MachineRemediation) SetConditions(conditions []metav1.Condition) {
	r.Status.Conditions = conditions
}
