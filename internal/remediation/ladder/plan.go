package ladder

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// OperationID makes an attempt of a record safe to repeat: receivers store it and drop repeats.
func OperationID(r *v1alpha1.MachineRemediation, attempt int32) string {
	return fmt.Sprintf("%s/%d", r.UID, attempt)
}

// AtWork returns the attempt that is not over, or nil.
func AtWork(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationAttempt {
	return atWork(&r.Status)
}

func atWork(s *v1alpha1.MachineRemediationStatus) *v1alpha1.RemediationAttempt {
	if last := latest(s); last != nil && last.EndTime == nil {
		return last
	}
	return nil
}

func latest(s *v1alpha1.MachineRemediationStatus) *v1alpha1.RemediationAttempt {
	if n := len(s.Attempts); n > 0 {
		return &s.Attempts[n-1]
	}
	return nil
}

// NextStep returns the step that is tried or waited for; false if none is left.
func NextStep(r *v1alpha1.MachineRemediation) (v1alpha1.RemediationStep, bool) {
	if r.Status.Attempt == 0 {
		return first(r)
	}
	return stepNamed(r, r.Status.Step)
}

// first is the step that a record begins with.
func first(r *v1alpha1.MachineRemediation) (v1alpha1.RemediationStep, bool) {
	if start := r.Spec.StartAt; start != nil {
		return stepNamed(r, start.Step)
	}
	if len(r.Spec.Steps) == 0 {
		return v1alpha1.RemediationStep{}, false
	}
	return r.Spec.Steps[0], true
}

func stepNamed(r *v1alpha1.MachineRemediation, name string) (v1alpha1.RemediationStep, bool) {
	if i := indexOf(r, name); i >= 0 {
		return r.Spec.Steps[i], true
	}
	return v1alpha1.RemediationStep{}, false
}

func indexOf(r *v1alpha1.MachineRemediation, name string) int {
	for i := range r.Spec.Steps {
		if r.Spec.Steps[i].Name == name {
			return i
		}
	}
	return -1
}

// StepAfter is the name of the step that follows on name; empty if none does.
func StepAfter(steps []v1alpha1.RemediationStep, name string) string {
	for i := range steps {
		if steps[i].Name == name && i+1 < len(steps) {
			return steps[i+1].Name
		}
	}
	return ""
}

// builtIn reports whether the record follows a built-in plan.
func builtIn(r *v1alpha1.MachineRemediation) bool { return r.Spec.TemplateRef == nil }

// neverGivenUp reports whether a step begins again however often it fails: the replacement of the built-in plan.
func neverGivenUp(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	return builtIn(r) && step.Action == v1alpha1.ActionReplace
}

// counts reports whether an attempt with this result uses up one of its step.
func counts(result v1alpha1.AttemptResult) bool {
	switch result {
	case v1alpha1.ResultRefused, v1alpha1.ResultAborted, v1alpha1.ResultUnneeded, v1alpha1.ResultDenied, v1alpha1.ResultCancelled:
		return false
	}
	return true
}

// tried is how many attempts of a step count, since it was begun last: a Retry begins it anew.
func tried(s *v1alpha1.MachineRemediationStatus, step string) int32 {
	n := int32(0)
	for i := len(s.Attempts) - 1; i >= 0; i-- {
		attempt := &s.Attempts[i]
		if attempt.Step != step {
			break
		}
		if counts(attempt.Result) {
			n++
		}
		if attempt.Decision != nil && attempt.Decision.Answer == v1alpha1.AnswerRetry {
			break
		}
	}
	return n
}

// follow sets the step and the number of the attempt that come after one that is over.
func (t *turn) follow(step v1alpha1.RemediationStep) {
	t.s.Attempt++
	if neverGivenUp(t.f.Record, step) || tried(&t.s, step.Name) < step.MaxAttempts() {
		return
	}
	t.s.Step = StepAfter(t.f.Record.Spec.Steps, step.Name)
}

const (
	// firstBackoff and maxBackoff bound how soon a try follows on one that could not be carried out.
	firstBackoff = 5 * time.Second
	maxBackoff   = 5 * time.Minute
	// firstPause and maxPause bound how soon a step begins again that has failed and is never given up.
	firstPause = 5 * time.Minute
	maxPause   = time.Hour
)

// doubled is the n-th of a series that begins with first, doubles, and ends at most.
func doubled(first, most time.Duration, n int) time.Duration {
	wait := first
	for i := 1; i < n && wait < most; i++ {
		wait *= 2
	}
	return min(wait, most)
}

// failedInVain is how many attempts in a row have ended without a repair.
func failedInVain(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].EndTime != nil && s.Attempts[i].Result != v1alpha1.ResultSucceeded; i-- {
		n++
	}
	return n
}
