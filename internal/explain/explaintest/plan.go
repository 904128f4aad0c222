package explaintest

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Step returns a step of a plan.
func Step(name string, action v1alpha1.Action, attempts int32, timeout time.Duration) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: name, Action: action, Attempts: attempts, Approval: v1alpha1.ApprovalNotRequired, DoneWhen: v1alpha1.DoneWhenMachineHealthy}
	if timeout > 0 {
		s.TimeoutSeconds = new(int32(timeout / time.Second))
	}
	return s
}

// Metal returns a typical plan for bare metal.
func Metal() []v1alpha1.RemediationStep {
	replace := Step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	replace.Approval = v1alpha1.ApprovalRequired
	return []v1alpha1.RemediationStep{
		Step("watch", v1alpha1.ActionWait, 1, 5*time.Minute), Step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute), replace, Step("hold", v1alpha1.ActionHold, 1, 0),
	}
}
