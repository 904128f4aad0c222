package ladder

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// say sets the phase, and the condition Progressing: True while the record goes on by itself, Unknown while somebody has stopped
// it, False when it has ended or waits for a person.
func (d *draft) say(phase v1alpha1.RemediationPhase, reason, message string) bool {
	d.s.Phase = phase
	status := metav1.ConditionTrue
	switch {
	case phase == v1alpha1.RemediationHeld || phase == v1alpha1.RemediationEnded || reason == v1alpha1.ReasonApprovalRequired:
		status = metav1.ConditionFalse
	case reason == v1alpha1.ReasonPaused || reason == v1alpha1.ReasonOnHold:
		status = metav1.ConditionUnknown
	}
	if phase != v1alpha1.RemediationEnded && d.askedInVain() {
		message += ". The annotation " + clusterv1.RemediateMachineAnnotation + " asks for a Replace, which the plan does not have"
	}
	d.progress(status, reason, message)
	return true
}

// progress sets the condition Progressing, and sums it up for programs that wait for a record: it is in progress until it has ended.
func (d *draft) progress(status metav1.ConditionStatus, reason, message string) {
	d.condition(v1alpha1.ConditionProgressing, status, reason, message)
	summary := v1alpha1.ConditionReconciling
	if d.s.Phase == v1alpha1.RemediationEnded {
		summary = ""
	}
	conditions.Summarize(&d.s.Conditions, summary, Progress(&d.s))
}

// maxMessage is the maximum length of a condition's message in the API, in bytes. Errors of rules may quote long annotations.
const maxMessage = 32768

func (d *draft) condition(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&d.s.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: ownwrites.Shortened(message, maxMessage),
		ObservedGeneration: d.f.Record.Generation, LastTransitionTime: *d.time(),
	})
}

// complete ends the record. An attempt without a result gets one.
func (d *draft) complete(reason, message string) bool {
	if attempt := proving(&d.s); attempt != nil {
		attempt.Result, attempt.Message = v1alpha1.ResultAborted, message
	}
	if last := Last(&d.s); last != nil && last.Result == v1alpha1.ResultWithdrawn && !d.gaveUp() {
		last.Result = v1alpha1.ResultNotBegun
	}
	d.s.CompletionTime = d.time()
	d.s.NextTransitionTime = nil
	d.forgetStop()
	if reason != v1alpha1.ReasonReplacementFailed {
		d.s.ReplacementRef = nil
	}
	status := metav1.ConditionFalse
	switch reason {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonRecoveredUnaided, v1alpha1.ReasonReplaced, v1alpha1.ReasonDone:
		status = metav1.ConditionTrue
	}
	d.condition(v1alpha1.ConditionSucceeded, status, reason, message)
	d.decision.RecheckAt = time.Time{}
	return d.say(v1alpha1.RemediationEnded, v1alpha1.ReasonEnded, message)
}

// goOn says that an attempt is at work, and whom it waits for.
func (d *draft) goOn(message string) bool {
	return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonActing, message)
}

// withdrawing says that something of a finished attempt is still in progress.
func (d *draft) withdrawing(message string) bool {
	return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, message)
}

// waitsFor says whom an attempt waits for, and what comes next if that fails.
func (d *draft) waitsFor(step v1alpha1.RemediationStep) string {
	what := ""
	switch step.Action {
	case v1alpha1.ActionReplace:
		if d.f.Machine.Deleting() && !d.soonGone() {
			// Whatever comes of it, the plan does not go on: the machine will be gone.
			return d.trying(step) + ": the machine is being deleted; waits until it is gone"
		}
		what = "waits until the machine is deleted"
		if d.f.Machine.Owner != nil && step.Marks() {
			what = fmt.Sprintf("waits for %s to replace the machine", d.f.Machine.ownerName())
		}
	case v1alpha1.ActionReboot:
		what = "waits for the power cycle of its host"
	case v1alpha1.ActionRequest:
		what = "waits for the controller of the request"
		if request, attempt := d.f.Request, atWork(&d.s); request != nil && attempt != nil && request.OperationID == attempt.OperationID {
			what = fmt.Sprintf("waits for %s %s", request.Ref.Kind, request.Ref.Name)
		}
	default:
		what = "waits for the machine to recover by itself"
	}
	return fmt.Sprintf("%s: %s; %s", d.trying(step), what, d.then(step))
}

// trying says which attempt of which step is at work.
func (d *draft) trying(step v1alpha1.RemediationStep) string {
	if step.MaxAttempts() == 1 {
		return fmt.Sprintf("Step %s", step.Name)
	}
	return fmt.Sprintf("Step %s, %d of %d", step.Name, min(tried(&d.s, step.Name), step.MaxAttempts()), step.MaxAttempts())
}

// then says what follows if the step at work does not help.
func (d *draft) then(step v1alpha1.RemediationStep) string {
	if d.f.Machine.Deleting() && (step.Action != v1alpha1.ActionReplace || !d.soonGone()) {
		return "nothing follows, because the machine is being deleted"
	}
	if NeverGivenUp(d.f.Record, step) {
		if d.f.Machine.Owner != nil && !d.f.Bounded {
			// Nobody waits for what it keeps, so nothing is taken back.
			return "the machine stays marked until it does"
		}
		return "the step begins again if that does not help"
	}
	if tried(&d.s, step.Name) < step.MaxAttempts() {
		return "one more attempt follows if that does not help"
	}
	if next := StepAfter(d.f.Record.Spec.Steps, step.Name); next != "" {
		return "step " + next + " follows if that does not help"
	}
	if d.f.Record.Spec.AskedFor() {
		return "nothing follows if that fails"
	}
	return "a person decides if that does not help"
}

// inVain says what did not happen within the timeout of a step.
func (d *draft) inVain(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) string {
	if evidence(step) && attempt.ObjectRef != nil {
		return fmt.Sprintf("%s %s has not succeeded after %s", attempt.ObjectRef.Kind, attempt.ObjectRef.Name, step.Timeout())
	}
	if d.f.Record.Spec.OnTheirWord() {
		return fmt.Sprintf("Step %s is not done after %s", step.Name, step.Timeout())
	}
	return fmt.Sprintf("The machine is not healthy after %s", step.Timeout())
}

// Progress returns what a record says happens next: its condition Progressing, empty if it has none.
func Progress(s *v1alpha1.MachineRemediationStatus) metav1.Condition {
	return conditions.Of(s.Conditions, v1alpha1.ConditionProgressing)
}

// DeletionOverdue reports whether a record says that the deletion of its machine takes longer than [DeletionTime].
func DeletionOverdue(r *v1alpha1.MachineRemediation) bool {
	return Progress(&r.Status).Reason == v1alpha1.ReasonDeletionOverdue
}

// Success returns what a record says about its end: its condition Succeeded, empty if it has none.
func Success(s *v1alpha1.MachineRemediationStatus) metav1.Condition {
	return conditions.Of(s.Conditions, v1alpha1.ConditionSucceeded)
}
