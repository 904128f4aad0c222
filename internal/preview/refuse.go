package preview

import (
	"errors"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// already says that somebody has decided the same, and that it is in effect; empty otherwise.
func already(r *v1alpha1.MachineRemediation, asked Asked) string {
	if ladder.Ended(r) {
		return ""
	}
	d := ladder.DecisionAbout(r)
	if d == nil {
		d = carriedOut(r)
	}
	switch {
	case d == nil || d.Answer != asked.Answer || (asked.Step != "" && d.Step != asked.Step):
		return ""
	case r.Status.ObservedGeneration < r.Generation:
		return fmt.Sprintf("%s has answered %s already; no manager has seen it yet", person(d), d.Answer)
	}
	return fmt.Sprintf("%s has answered %s already: %s", person(d), d.Answer, Is(r))
}

// carriedOut returns the decision behind the current attempt, or the one that left the machine to a person.
func carriedOut(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationDecision {
	n := len(r.Status.Attempts)
	if n == 0 {
		return nil
	}
	last := r.Status.Attempts[n-1]
	refused := (last.Result == v1alpha1.ResultDenied || last.Result == v1alpha1.ResultCancelled) && r.Status.Step == ""
	if last.EndTime == nil || refused {
		return last.Decision
	}
	return nil
}

// undecidable says why an answer would change nothing.
func undecidable(v View, asked Asked) error {
	r := v.Record
	switch {
	case ladder.Ended(r):
		return fmt.Errorf("%s ended at %s, so there is nothing to decide: %s", name(r), humanize.Time(r.Status.CompletionTime.Time), ladder.Progress(&r.Status).Message)
	case !r.DeletionTimestamp.IsZero():
		return fmt.Errorf("%s is being deleted, so there is nothing to decide: what it asked for is withdrawn, and it goes", name(r))
	case v.Safety.Unmanaged.IsSet():
		return fmt.Errorf("%s is about to end, so there is nothing to decide: %s", name(r), v.Safety.Unmanaged)
	}
	switch asked.Answer {
	case v1alpha1.AnswerApprove, v1alpha1.AnswerDeny:
		return unanswerable(v, asked)
	case v1alpha1.AnswerRetry:
		return notRetryable(v, asked)
	case v1alpha1.AnswerCancel:
		// If a machine is gone, only a replacement goes on: the machine in its place has to prove itself.
		if v.Machine.Gone && !replaces(r, ladder.AtWork(r)) {
			return fmt.Errorf("machine %s is gone, so there is nothing to cancel", r.Spec.MachineRef.Name)
		}
	}
	return nil
}

// replaces reports whether an attempt replaces the machine; false for nil.
func replaces(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) bool {
	if attempt == nil {
		return false
	}
	step, ok := ladder.StepNamed(r, attempt.Step)
	return ok && step.Action == v1alpha1.ActionReplace
}

// unanswerable returns an error if no approval is wanted.
func unanswerable(v View, asked Asked) error {
	r := v.Record
	switch {
	case v.Machine.Gone || v.Machine.Deleting():
		return fmt.Errorf("machine %s is being deleted or is gone, so there is nothing to approve or deny", r.Spec.MachineRef.Name)
	case v.Machine.Health == ladder.Healthy && !r.Spec.OnTheirWord():
		return fmt.Errorf("machine %s has recovered, so there is nothing to approve or to deny: %s", r.Spec.MachineRef.Name, Is(r))
	case ladder.AwaitsApproval(r):
		return nil
	case asked.Answer == v1alpha1.AnswerDeny:
		stop := "stop the repair"
		if by := r.Spec.RequestedBy; r.Spec.OnTheirWord() {
			stop = "call off what " + by.Asker() + " has asked for"
		}
		return fmt.Errorf("%s waits for no approval, so there is nothing to deny. To %s: %s cancel %s -n %s. %s", name(r), stop, asked.Command, name(r), r.Namespace, humanize.Upper(Is(r)))
	}
	if earlier := ladder.DecisionAbout(r); earlier != nil {
		return fmt.Errorf("%s waits for no approval, as %s has answered %s: %s", name(r), person(earlier), earlier.Answer, Is(r))
	}
	return fmt.Errorf("%s waits for no approval: %s", name(r), Is(r))
}

// notRetryable returns an error that says why no step can be retried.
func notRetryable(v View, asked Asked) error {
	r := v.Record
	if attempt := ladder.AtWork(r); attempt != nil {
		return fmt.Errorf("attempt %d of %s is at work (step %s). Retry once it is over, or stop it first: %s cancel %s -n %s", attempt.Number, name(r), attempt.Step, asked.Command, name(r), r.Namespace)
	}
	machine := "machine " + r.Spec.MachineRef.Name
	switch {
	case v.Machine.Gone:
		return errors.New(machine + " is gone, so there is nothing to retry")
	case v.Machine.Deleting():
		return fmt.Errorf("%s has been in deletion since %s, so nothing begins on it", machine, humanize.Time(v.Machine.DeletingSince))
	case v.Machine.Health == ladder.Healthy && !r.Spec.OnTheirWord() || ladder.InProof(r) || r.Status.RecoveryTime != nil:
		return fmt.Errorf("%s has recovered, so there is nothing to retry: %s", machine, Is(r))
	}
	return nil
}

// beginsAnyway reports whether a step is next, and a retry would neither start it sooner nor give it more attempts.
func beginsAnyway(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep, now time.Time) bool {
	next, ok := ladder.NextStep(r)
	rests := r.Status.NextTransitionTime != nil && r.Status.NextTransitionTime.After(now)
	fresh := ladder.Tried(r, step.Name) == 0 || ladder.NeverGivenUp(r, step)
	return ok && next.Name == step.Name && !rests && !ladder.AwaitsApproval(r) && fresh
}

// Is describes the state of a record, in its own words.
func Is(r *v1alpha1.MachineRemediation) string {
	c := ladder.Progress(&r.Status)
	switch {
	case r.Status.Phase == "":
		return "it has just been made"
	case c.Message == "":
		return fmt.Sprintf("it is %s", r.Status.Phase)
	case c.Reason == string(r.Status.Phase):
		return fmt.Sprintf("it is %s. %s", r.Status.Phase, c.Message)
	}
	return fmt.Sprintf("it is %s (%s). %s", r.Status.Phase, c.Reason, c.Message)
}
