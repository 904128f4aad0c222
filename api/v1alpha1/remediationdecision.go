package v1alpha1

// Answer is what a person decides: Approve, Deny, Retry or Cancel. The definition checks it in the spec only, as the
// status has no enumerations.
type Answer string

const (
	// AnswerApprove lets the attempt that waits for approval act.
	AnswerApprove Answer = "Approve"
	// AnswerDeny keeps the attempt from acting. The remediation is Held.
	AnswerDeny Answer = "Deny"
	// AnswerRetry begins a step with fresh attempts, the first of them approved.
	AnswerRetry Answer = "Retry"
	// AnswerCancel withdraws what the running attempt asked for. The remediation is Held until somebody answers Retry.
	AnswerCancel Answer = "Cancel"
)

// RemediationDecision is what a person decides about one attempt.
type RemediationDecision struct {
	// attempt is the number of the attempt: status.attempt when the decision is made. A decision about another attempt
	// is refused.
	// +kubebuilder:validation:Minimum=1
	// +required
	Attempt int32 `json:"attempt,omitempty"`
	// answer is Approve, Deny, Retry or Cancel.
	// +kubebuilder:validation:MaxLength=63
	// +required
	Answer Answer `json:"answer,omitempty"`
	// step is the name of the step to begin, for the answer Retry only. Default: the step that was tried last.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Step string `json:"step,omitempty"`
	// by says who decided.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	By string `json:"by,omitempty"`
	// reason says why.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`
}
