package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MachineRemediationSpec says which machine is repaired, by which plan, and why. It is written when the machine is
// admitted; afterwards only grant and decision change.
//
// The rule on spec names the optional fields twice: one that is added or taken away is a change, too. It names steps
// twice as well: lists with keys are equal in any order.
//
// +kubebuilder:validation:XValidation:rule="has(self.clusterName) == has(oldSelf.clusterName) && (!has(self.clusterName) || self.clusterName == oldSelf.clusterName) && self.machineRef == oldSelf.machineRef && self.steps == oldSelf.steps && self.steps.map(s, s.name) == oldSelf.steps.map(s, s.name) && has(self.healthCheckRef) == has(oldSelf.healthCheckRef) && (!has(self.healthCheckRef) || self.healthCheckRef == oldSelf.healthCheckRef) && has(self.finding) == has(oldSelf.finding) && (!has(self.finding) || self.finding == oldSelf.finding) && has(self.requestedBy) == has(oldSelf.requestedBy) && (!has(self.requestedBy) || self.requestedBy == oldSelf.requestedBy) && has(self.nodeRef) == has(oldSelf.nodeRef) && (!has(self.nodeRef) || self.nodeRef == oldSelf.nodeRef) && has(self.hostRef) == has(oldSelf.hostRef) && (!has(self.hostRef) || self.hostRef == oldSelf.hostRef) && has(self.templateRef) == has(oldSelf.templateRef) && (!has(self.templateRef) || self.templateRef == oldSelf.templateRef) && has(self.startAt) == has(oldSelf.startAt) && (!has(self.startAt) || self.startAt == oldSelf.startAt) && has(self.probationSeconds) == has(oldSelf.probationSeconds) && (!has(self.probationSeconds) || self.probationSeconds == oldSelf.probationSeconds)",message="spec is immutable except for grant and decision: delete the MachineRemediation to start over"
// +kubebuilder:validation:XValidation:rule="!has(self.startAt) || !has(self.startAt.step) || size(self.startAt.step) == 0 || self.steps.exists(s, s.name == self.startAt.step)",message="must be the name of a step, or empty",fieldPath=".startAt.step"
// +kubebuilder:validation:XValidation:rule="!has(self.decision) || !has(self.decision.step) || size(self.decision.step) == 0 || self.steps.exists(s, s.name == self.decision.step)",message="must be the name of a step",fieldPath=".decision.step"
// +kubebuilder:validation:XValidation:rule="has(self.finding) == has(self.healthCheckRef) && has(self.finding) != has(self.requestedBy)",message="must have finding and healthCheckRef, or else requestedBy"
// +kubebuilder:validation:XValidation:rule="!has(self.requestedBy) || (self.steps.all(s, (s.action == 'Reboot' || (s.action == 'Replace' && self.requestedBy.kind == 'HealthCheck' && !has(s.by))) && (!has(s.approval) || s.approval == 'NotRequired')) && !has(self.templateRef) && !has(self.startAt))",message="without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt",fieldPath=".steps"
// +kubebuilder:validation:XValidation:rule="has(self.requestedBy) || self.steps.all(s, !has(s.until))",message="until is for what somebody asks for without a finding",fieldPath=".steps"
// +kubebuilder:validation:XValidation:rule="has(self.clusterName) == (self.machineRef.apiGroup == 'cluster.x-k8s.io')",message="is required for a Machine of Cluster API, and must be absent for one of OpenShift",fieldPath=".clusterName"
type MachineRemediationSpec struct {
	// clusterName is the Cluster of the machine; absent for a Machine of OpenShift.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// machineRef is the machine that is repaired.
	// +required
	MachineRef RemediatedMachineReference `json:"machineRef,omitzero"`
	// nodeRef is the Node of the machine at that time; absent if it had none.
	// +optional
	NodeRef *RemediationReference `json:"nodeRef,omitempty"`
	// hostRef is the bare-metal host of the machine at that time; absent if it had none.
	// +kubebuilder:validation:XValidation:rule="has(self.uid) && self.uid != ''",message="is required",fieldPath=".uid"
	// +optional
	HostRef *RemediationReference `json:"hostRef,omitempty"`
	// healthCheckRef is the MachineHealthCheck that admitted the machine; absent if somebody asked without a finding.
	// +kubebuilder:validation:XValidation:rule="has(self.uid) && self.uid != ''",message="is required",fieldPath=".uid"
	// +optional
	HealthCheckRef RemediationReference `json:"healthCheckRef,omitzero"`
	// templateRef is the MachineRemediationTemplate that the plan was copied from; absent for a built-in plan.
	// +optional
	TemplateRef *PlanReference `json:"templateRef,omitempty"`
	// finding is the verdict that led to this repair; absent if somebody asked without one.
	// +optional
	Finding RemediationFinding `json:"finding,omitzero"`
	// requestedBy says who asked for this without a finding; absent if Sickbay's own health check did. What an
	// annotation asks for needs a slot where the machine's MachineHealthCheck limits them; nothing else that somebody asks for does. What a person or an
	// annotation asks for needs no sick machine either: a pause of the machine's MachineHealthCheck does not matter; a hold of it, and a pause or a
	// hold of the Machine or of its Cluster, keeps it from beginning. What another health check asks for ends when the machine is healthy.
	// +optional
	RequestedBy *RemediationRequester `json:"requestedBy,omitempty"`
	// steps are the plan's steps, resolved and copied: later edits of the plan apply to the next MachineRemediation.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	// +required
	Steps []RemediationStep `json:"steps,omitempty"`
	// startAt is the step to begin with, if a rule or a relapse says so. Default: the first.
	// +optional
	StartAt *RemediationStart `json:"startAt,omitempty"`
	// probationSeconds is how long the machine has to be healthy without a break before it counts as repaired,
	// copied from the plan. A record of a built-in plan has none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +optional
	ProbationSeconds *int32 `json:"probationSeconds,omitempty"`
	// grant counts the slots that Sickbay has given to this MachineRemediation. It never goes down. Default: 0.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=0
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="must not be less than before"
	// +optional
	Grant int32 `json:"grant"`
	// decision is what a person decides about an attempt.
	// +kubebuilder:validation:XValidation:rule="self.answer in ['Approve', 'Deny', 'Retry', 'Cancel']",message="must be Approve, Deny, Retry or Cancel",fieldPath=".answer"
	// +kubebuilder:validation:XValidation:rule="!has(self.step) || self.answer == 'Retry'",message="may be set only with the answer Retry",fieldPath=".step"
	// +optional
	Decision *RemediationDecision `json:"decision,omitempty"`
}

// BuiltIn reports whether the record follows a built-in plan, and no MachineRemediationTemplate.
func (s *MachineRemediationSpec) BuiltIn() bool { return s.TemplateRef == nil }

// AskedFor reports whether somebody asked for a repair without a finding.
func (s *MachineRemediationSpec) AskedFor() bool { return s.RequestedBy != nil }

// OnTheirWord reports whether the word of who asked is enough, whatever the health of the machine.
func (s *MachineRemediationSpec) OnTheirWord() bool {
	return s.RequestedBy != nil && s.RequestedBy.Kind != AskedByHealthCheck
}

// MachineRemediation records one repair of one machine, from its admission until the machine is healthy or gone. It outlives the
// machine.
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
// +kubebuilder:printcolumn:name="Outcome",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.nextTransitionTime`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
//
// +kubebuilder:validation:XValidation:rule="!has(self.spec.decision) || (has(oldSelf.spec.decision) && self.spec.decision == oldSelf.spec.decision) || !has(self.status) || !has(self.status.completionTime)",message="this MachineRemediation has ended: there is nothing to decide any more",fieldPath=".spec.decision"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.decision) || (has(oldSelf.spec.decision) && self.spec.decision == oldSelf.spec.decision) || self.spec.decision.attempt == (has(self.status) && has(self.status.attempt) && self.status.attempt > 1 ? self.status.attempt : 1)",message="must be the number in status.attempt: that of the attempt at work or waited for",fieldPath=".spec.decision.attempt"
type MachineRemediation struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says which machine is repaired, by which plan, and why.
	// +required
	Spec MachineRemediationSpec `json:"spec,omitzero"`
	// The default makes those who ask kstatus wait until Sickbay has seen the object.

	// status is written by Sickbay alone.
	// +kubebuilder:default={"observedGeneration":-1}
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
