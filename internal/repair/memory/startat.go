package memory

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Incident is the incident that a new record is for.
type Incident struct {
	// MachineName and MachineUID are those of the machine.
	MachineName string
	MachineUID  types.UID
	// HostUID is the UID of its bare-metal host; empty if it has none.
	HostUID types.UID
	// Reason is the reason of the verdict.
	Reason string
}

// StartAt returns where the plan begins for an incident, and why; nil if at its beginning. The step is empty if none is left.
//
// The records are those of the cluster; open ones are skipped. The window is the plan's; 0 means no memory of relapses. Chains of
// replacements have no window: one ends when a machine in it has proven itself.
func StartAt(steps []v1alpha1.RemediationStep, records []*v1alpha1.MachineRemediation, incident Incident, window time.Duration,
	now time.Time,
) *v1alpha1.RemediationStart {
	return Later(relapse(steps, records, incident, window, now), chain(steps, records, incident), steps)
}

// Later returns the start that is later in the plan, or a if both are the same. No start is the earliest; a start without a step is
// the latest, since no step is left.
func Later(a, b *v1alpha1.RemediationStart, steps []v1alpha1.RemediationStep) *v1alpha1.RemediationStart {
	if place(b, steps) > place(a, steps) {
		return b
	}
	return a
}

// place orders starts. A start at a step that the plan does not have counts as none.
func place(start *v1alpha1.RemediationStart, steps []v1alpha1.RemediationStep) int {
	switch {
	case start == nil:
		return -1
	case start.Step == "":
		return len(steps)
	}
	return ladder.IndexOf(steps, start.Step)
}

// after returns a start at the step after one of the plan, if there is one.
func after(steps []v1alpha1.RemediationStep, i int, reason string) *v1alpha1.RemediationStart {
	start := &v1alpha1.RemediationStart{Reason: reason}
	if i+1 < len(steps) {
		start.Step = steps[i+1].Name
	}
	return start
}
