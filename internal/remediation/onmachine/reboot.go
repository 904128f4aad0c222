package onmachine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// powerCycle reads which power cycle was requested by annotation, and whether the annotation is still there. A cycle from before
// the record is taken over, even if the previous version asked for it and it was just carried out.
func powerCycle(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation, now time.Time) (operation string, stands bool) {
	value, asked := machine.Annotations[rebootannotation.Request]
	operation = machine.Annotations[rebootannotation.Operation]
	switch {
	case rebootLeftOver(machine, record.UID):
		return ladder.OperationID(record, max(1, record.Status.Attempt)), true
	case !asked && justAsked(machine, record, now):
		return ladder.OperationID(record, 1), false
	case !strings.HasPrefix(operation, string(record.UID)+"/"):
		return "", false
	}
	return operation, asked && value == operation
}

// rebootLeftOver reports whether a health check asked for the current power cycle, but not for this record: the previous version
// did, or an earlier record that is gone. A machine has one open record at a time.
func rebootLeftOver(machine *clusterv1.Machine, record types.UID) bool {
	return rebootannotation.ByHealthCheck(machine) && !strings.HasPrefix(rebootannotation.OperationOf(machine), string(record)+"/")
}

// justAsked reports whether the previous version asked for a power cycle so recently that the step's timeout has not passed.
func justAsked(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation, now time.Time) bool {
	step, ok := ladder.NextStep(record)
	if !ok || len(record.Status.Attempts) > 0 || step.Action != v1alpha1.ActionReboot {
		return false
	}
	return now.Before(rebootannotation.DueAt(machine, step.Timeout()))
}

// HeldByOthers says that somebody else has asked for a power cycle of the machine's host; empty if nobody has.
func HeldByOthers(machine *clusterv1.Machine, record types.UID) string {
	for _, key := range slices.Sorted(maps.Keys(machine.Annotations)) {
		ours := strings.HasPrefix(machine.Annotations[key], string(record)+"/")
		if key == rebootannotation.Request {
			ours = ours || rebootLeftOver(machine, record)
		} else if !strings.HasPrefix(key, rebootannotation.Request+"/") {
			continue
		}
		if !ours {
			return "Somebody asks for a power cycle of its host by the annotation " + key
		}
	}
	return ""
}

// KeptOff says that a person keeps the machine's host off with single steps; empty if nobody does.
func KeptOff(machine *clusterv1.Machine) string {
	for _, step := range []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete} {
		key := rebootannotation.Request + "/" + string(step)
		if _, asked := machine.Annotations[key]; asked {
			return "Somebody keeps its host off by the annotation " + key
		}
	}
	return ""
}
