package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// counts reports whether an attempt with this result uses up one of its step.
func counts(result v1alpha1.AttemptResult) bool {
	switch result {
	case v1alpha1.ResultRefused, v1alpha1.ResultAborted, v1alpha1.ResultUnneeded, v1alpha1.ResultDenied, v1alpha1.ResultCancelled:
		return false
	default:
		return true
	}
}

// Tried is how many attempts of a step of a record count, since it was begun last; that at work is one of them.
func Tried(r *v1alpha1.MachineRemediation, step string) int32 { return tried(&r.Status, step) }

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

// failedInVain is how many attempts in a row have failed. Those that did nothing are passed over.
func failedInVain(s *v1alpha1.MachineRemediationStatus) int {
	n := 0
	for i := len(s.Attempts) - 1; i >= 0 && s.Attempts[i].Result != v1alpha1.ResultSucceeded; i-- {
		if result := s.Attempts[i].Result; result == v1alpha1.ResultRefused || (result != "" && counts(result)) {
			n++
		}
	}
	return n
}
