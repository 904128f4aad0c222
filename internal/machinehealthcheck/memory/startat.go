package memory

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Incident is what a record is about to be made for.
type Incident struct {
	// Record is the name that the record will have.
	Record string
	// MachineUID is the machine's.
	MachineUID types.UID
	// HostUID is that of its bare-metal host; empty if it has none.
	HostUID types.UID
	// Reason is that of the verdict.
	Reason string
}

// StartAt says where the plan begins for an incident, and why; nil if at its beginning. The step is empty if none is left.
//
// The records are those of the cluster; those that are open are passed over. The window is that of the plan; 0 remembers no
// relapse. Chains of replacements have no window: one ends when a machine in it has proven itself.
func StartAt(steps []v1alpha1.RemediationStep, records []*v1alpha1.MachineRemediation, incident Incident, window time.Duration,
	now time.Time,
) *v1alpha1.RemediationStart {
	return Later(relapse(steps, records, incident, window, now), chain(steps, records, incident.Record), steps)
}

// Later returns whichever of two starts is later in the plan; a, if both are the same. No start is the earliest, and a start
// without a step the latest: no step is left.
func Later(a, b *v1alpha1.RemediationStart, steps []v1alpha1.RemediationStep) *v1alpha1.RemediationStart {
	if place(b, steps) > place(a, steps) {
		return b
	}
	return a
}

// place orders starts. One at a step that the plan does not have is as none.
func place(start *v1alpha1.RemediationStart, steps []v1alpha1.RemediationStep) int {
	switch {
	case start == nil:
		return -1
	case start.Step == "":
		return len(steps)
	}
	return indexOf(steps, start.Step)
}

// after starts at the step that follows on one of the plan, if there is any.
func after(steps []v1alpha1.RemediationStep, i int, reason string) *v1alpha1.RemediationStart {
	start := &v1alpha1.RemediationStart{Reason: reason}
	if i+1 < len(steps) {
		start.Step = steps[i+1].Name
	}
	return start
}
