package onmachine

import (
	"maps"
	"slices"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// HeldByOthers says that somebody else has asked for a power cycle of the machine's host; empty if nobody has.
func HeldByOthers(machine *clusterv1.Machine) string {
	for _, key := range slices.Sorted(maps.Keys(machine.Annotations)) {
		asks := key == rebootannotation.Request && !rebootannotation.IsSign(machine.Annotations[key])
		if asks || strings.HasPrefix(key, rebootannotation.Request+"/") {
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
