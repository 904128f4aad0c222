package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// RemediationPhase is how far a MachineRemediation has come, for people. No repair depends on it.
type RemediationPhase string

// The phases.
const (
	// RemediationPending: Sickbay is doing nothing to the machine. The condition Progressing says what is missing.
	RemediationPending RemediationPhase = "Pending"
	// RemediationActing: an attempt is running, or Sickbay has not yet withdrawn the request of one.
	RemediationActing RemediationPhase = "Acting"
	// RemediationProbation: the machine is healthy again, and has to stay so for a while.
	RemediationProbation RemediationPhase = "Probation"
	// RemediationHeld: a person decides how to go on.
	RemediationHeld RemediationPhase = "Held"
	// RemediationEnded: it is over, and kept as history.
	RemediationEnded RemediationPhase = "Ended"
)

// AttemptResult is the result of an attempt.
type AttemptResult string

// The results of an attempt. An attempt that is not over has none.
const (
	// ResultSucceeded: the attempt has done what its step is for.
	ResultSucceeded AttemptResult = "Succeeded"
	// ResultFailed: the attempt was carried out, but the machine is not healthy.
	ResultFailed AttemptResult = "Failed"
	// ResultTimedOut: the attempt took longer than its step allows, counted from when it began.
	ResultTimedOut AttemptResult = "TimedOut"
	// ResultWithdrawn: what was asked for is being taken back. The attempt ends NotBegun, unless it had begun after all.
	ResultWithdrawn AttemptResult = "Withdrawn"
	// ResultNotBegun: nobody began what was asked for, and it was taken back. The attempt does not count.
	ResultNotBegun AttemptResult = "NotBegun"
	// ResultImpossible: what was asked for can never begin. The attempt does not count, and the next step follows.
	ResultImpossible AttemptResult = "Impossible"
	// ResultAborted: an attempt that had begun ended early, through no fault of the host. Of each step, those whose host was off
	// count from the third on.
	ResultAborted AttemptResult = "Aborted"
	// ResultDenied: a person denied it.
	ResultDenied AttemptResult = "Denied"
	// ResultCancelled: a person cancelled it.
	ResultCancelled AttemptResult = "Cancelled"
	// ResultUnneeded: the machine recovered or went away while the attempt waited or collected evidence.
	ResultUnneeded AttemptResult = "Unneeded"
)

// Counts reports whether an attempt with this result alone uses up one of the attempts of its step. One that has no result yet does, and one with
// a result that only a later version knows.
func (r AttemptResult) Counts() bool {
	switch r {
	case ResultWithdrawn, ResultNotBegun, ResultImpossible, ResultAborted, ResultDenied, ResultCancelled, ResultUnneeded:
		return false
	default:
		return true
	}
}

// RemediationObjectReference names the object that an attempt created or acts on.
type RemediationObjectReference struct {
	// apiVersion is the group and the version of the object.
	// +required
	APIVersion string `json:"apiVersion,omitempty"`
	// kind of the object.
	// +required
	Kind string `json:"kind,omitempty"`
	// name of the object.
	// +required
	Name string `json:"name,omitempty"`
	// uid is the UID of the object.
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// IsMachine reports whether it is a Machine: one that nobody owns, and that Sickbay deletes itself.
func (r *RemediationObjectReference) IsMachine() bool { return r != nil && r.Kind == "Machine" }

// RemediationAttempt is one attempt of one step.
type RemediationAttempt struct {
	// number of the attempt, counted from 1 through the MachineRemediation.
	// +required
	Number int32 `json:"number,omitempty"`
	// step is the name of the step that it belongs to.
	// +required
	Step string `json:"step,omitempty"`
	// operationID makes the attempt safe to repeat: the UID of the MachineRemediation, a slash and the number.
	// +optional
	OperationID string `json:"operationID,omitempty"`
	// startTime is when it was asked for.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// beganAt is when the one who carries it out began: when the Machine was deleted, when the power cycle of its host began, or when the
	// request was made. Absent: it has not begun. The timeout of its step runs from then on.
	// +optional
	BeganAt *metav1.Time `json:"beganAt,omitempty"`
	// hostOffAt is when the host of a power cycle was proven off; absent if it was not.
	// +optional
	HostOffAt *metav1.Time `json:"hostOffAt,omitempty"`
	// endTime is when it was over.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// result says how it ended; empty while it is running.
	// +optional
	Result AttemptResult `json:"result,omitempty"`
	// message describes the result in one sentence.
	// +optional
	Message string `json:"message,omitempty"`
	// objectRef is the object that the attempt created or acts on.
	// +optional
	ObjectRef *RemediationObjectReference `json:"objectRef,omitempty"`
	// decision is what a person decided about it.
	// +optional
	Decision *RemediationDecision `json:"decision,omitempty"`
	// count is how many attempts in a row this entry stands for, if they did not begin and there is more than one. Then startTime is that of
	// the first, and the rest is about the last.
	// +optional
	Count int32 `json:"count,omitempty"`
}

// Begun reports whether the one who carries the attempt out has begun.
func (a *RemediationAttempt) Begun() bool { return a.BeganAt != nil }

// ActBegun reports whether the attempt has begun, and is of a step that acts: not one that only waits.
func (a *RemediationAttempt) ActBegun() bool { return a.ObjectRef != nil && a.Begun() }

// MachineRemediationStatus says how far the repair has come. It has no enumerations: an older definition must not
// refuse a newer controller.
type MachineRemediationStatus struct {
	// observedGeneration is the generation of the spec that Sickbay saw last; -1 before it has seen any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// phase sums up how far the repair has come: Pending, Acting, Probation, Held or Ended.
	// +optional
	Phase RemediationPhase `json:"phase,omitempty"`
	// step is the current step, or the next one. Empty: none is left.
	// +optional
	Step string `json:"step,omitempty"`
	// attempt is the number of the current attempt, or of the next one.
	// +optional
	Attempt int32 `json:"attempt,omitempty"`
	// releasedGrant is the value of spec.grant up to which Sickbay has given slots back.
	// +optional
	ReleasedGrant int32 `json:"releasedGrant,omitempty"`
	// slotWanted says that the next attempt needs only a slot, from nextTransitionTime on if that is set.
	// +optional
	SlotWanted bool `json:"slotWanted,omitempty"`
	// annotationAnswered says that a Replace began, or that a person decided against it, while the Machine had the annotation
	// remediate-machine. The annotation has no further effect until somebody removes it and sets it again.
	// +optional
	AnnotationAnswered bool `json:"annotationAnswered,omitempty"`
	// annotationRemoved says that the Machine did not have the annotation remediate-machine at some time since the record was made.
	// +optional
	AnnotationRemoved bool `json:"annotationRemoved,omitempty"`
	// nextTransitionTime is when the next thing happens if nothing changes before then.
	// +optional
	NextTransitionTime *metav1.Time `json:"nextTransitionTime,omitempty"`
	// stoppedTime is when the clock of the running attempt stopped.
	// +optional
	StoppedTime *metav1.Time `json:"stoppedTime,omitempty"`
	// stoppedBy is what stopped it: Pause, or the Deletion of the machine. Between two attempts, it is Host while somebody keeps the host, Unreadable while a
	// request that has to go cannot be read, and GivenUp once nothing waits for that request any more.
	// +optional
	StoppedBy string `json:"stoppedBy,omitempty"`
	// attempts are the last 64 attempts.
	// +listType=map
	// +listMapKey=number
	// +optional
	Attempts []RemediationAttempt `json:"attempts,omitempty"`
	// replacementRef is the MachineRemediation of the machine's successor, by the name that it has or would get. It stays after the end only if the
	// successor fell sick, too.
	// +optional
	ReplacementRef *RemediationReference `json:"replacementRef,omitempty"`
	// startTime is when the first attempt was asked for.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// recoveryTime is when the machine became healthy. It has stayed so since.
	// +optional
	RecoveryTime *metav1.Time `json:"recoveryTime,omitempty"`
	// completionTime is when the remediation ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// conditions: Progressing says what happens next and who the repair is waiting for, Succeeded how it ended. Reconciling says the same as
	// Progressing until then.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
