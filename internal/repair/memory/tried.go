package memory

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Tried reports whether a record has tried a repair.
func Tried(r *v1alpha1.MachineRemediation) bool {
	for i := range r.Status.Attempts {
		if _, ok := triedBy(r, &r.Status.Attempts[i]); ok {
			return true
		}
	}
	return false
}

// triedBy returns the step that an attempt tried; false if it tried no repair, or nobody began it. A power cycle that was broken off after the
// host was off has tried one.
func triedBy(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) (v1alpha1.RemediationStep, bool) {
	step, known := ladder.StepNamed(r, attempt.Step)
	brokenOff := attempt.Result == v1alpha1.ResultAborted && attempt.HostOffAt != nil
	return step, known && attempt.Begun() && (attempt.Result.Counts() || brokenOff) && ladder.Repairs(step)
}

// same returns the index in this plan of a step of an earlier one, by name and action; -1 if there is none.
func same(steps []v1alpha1.RemediationStep, earlier v1alpha1.RemediationStep) int {
	return slices.IndexFunc(steps, func(step v1alpha1.RemediationStep) bool {
		return step.Name == earlier.Name && step.Action == earlier.Action
	})
}
