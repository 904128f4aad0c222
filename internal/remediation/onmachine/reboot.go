package onmachine

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// powerCycle reads which power cycle was requested by annotation, and whether the annotation is still there. A record takes over what a
// record that is gone has asked for: that has stayed behind in another management cluster, for example.
func powerCycle(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) (operation string, stands bool) {
	operation = machine.Annotations[rebootannotation.Operation]
	switch {
	case askedByAnother(machine, record.UID):
		return ladder.OperationID(record, max(1, record.Status.Attempt)), true
	case !strings.HasPrefix(operation, string(record.UID)+"/"):
		return "", false
	}
	return operation, rebootannotation.OperationOf(machine) != ""
}

// askedByAnother reports whether another record asks for a power cycle. It is gone: a machine has one open record at a time.
func askedByAnother(machine *clusterv1.Machine, record types.UID) bool {
	operation := rebootannotation.OperationOf(machine)
	return operation != "" && !strings.HasPrefix(operation, string(record)+"/")
}

// HeldByOthers says that somebody else has asked for a power cycle of the machine's host; empty if nobody has.
func HeldByOthers(machine *clusterv1.Machine, record types.UID) string {
	for _, key := range slices.Sorted(maps.Keys(machine.Annotations)) {
		ours := strings.HasPrefix(machine.Annotations[key], string(record)+"/")
		if key == rebootannotation.Request {
			ours = ours || askedByAnother(machine, record)
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
