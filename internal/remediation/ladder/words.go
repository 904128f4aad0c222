package ladder

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// machine is how messages name the machine of a record.
func (t *turn) machine() string { return "machine " + t.f.Record.Spec.MachineRef.Name }

// trying says which attempt of which step is at work.
func (t *turn) trying(step v1alpha1.RemediationStep) string {
	if step.MaxAttempts() == 1 {
		return fmt.Sprintf("Step %s", step.Name)
	}
	return fmt.Sprintf("Step %s, %d of %d", step.Name, min(tried(&t.s, step.Name), step.MaxAttempts()), step.MaxAttempts())
}

// then says what follows if the step at work does not help.
func (t *turn) then(step v1alpha1.RemediationStep) string {
	if neverGivenUp(t.f.Record, step) {
		return "begins again if that does not help"
	}
	if tried(&t.s, step.Name) < step.MaxAttempts() {
		return "tries once more if that does not help"
	}
	if next := StepAfter(t.f.Record.Spec.Steps, step.Name); next != "" {
		return "goes on with step " + next + " if that does not help"
	}
	return "leaves the machine to a person if that does not help"
}
