package cycle

import (
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// End is one way a cycle can end.
type End struct {
	Phase   v1alpha1.Phase
	Outcome v1alpha1.Outcome
}

// Ends returns all ways a cycle can end, each once.
func Ends() []End {
	ends := []End{
		{v1alpha1.Succeeded, v1alpha1.Outcome(v1alpha1.Succeeded)},
		{v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonPowerOnTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut},
		{v1alpha1.Failed, v1alpha1.ReasonMachineUnhealthy},
		{v1alpha1.Failed, v1alpha1.ReasonRestoreTimedOut},
	}
	for i := range exits {
		if end := (End{exits[i].phase, v1alpha1.Outcome(exits[i].outcome)}); !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	return ends
}
