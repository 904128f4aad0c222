package onmachine

import (
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// HeldByOthers says that an annotation asks for a power cycle of the machine's host, and that intake has not answered it yet; empty if none does. Until
// then, it holds the record that intake has made for it, too; afterwards, that record holds the others. The other single steps go on with a record, and
// without one nobody carries them out.
func HeldByOthers(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Cause {
	if ladder.SingleSteps(record) {
		return unanswered(machine, record)
	}
	for _, key := range rebootannotation.Asking {
		if value, there := machine.Annotations[key]; there && !rebootannotation.IsSign(value) {
			return ladder.Cause{What: ladder.CycleAsked, Name: key}
		}
	}
	return ladder.Cause{}
}

// unanswered says that intake has not answered the annotation for which it made a record; empty if it has.
func unanswered(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Cause {
	by := record.Spec.RequestedBy
	if by == nil || by.Kind != v1alpha1.AskedByAnnotation {
		return ladder.Cause{}
	}
	if value, asks := machine.Annotations[by.Name]; asks && !rebootannotation.IsSign(value) {
		return ladder.Cause{What: ladder.AskedNotAnswered, Name: by.Name}
	}
	return ladder.Cause{}
}

// StillAsks reports whether the annotation stands for which intake made a record: with the sign of that record, or without any. The sign of another
// record says that somebody else's cycle is in its place.
func StillAsks(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) bool {
	value, there := machine.Annotations[record.Spec.RequestedBy.Name]
	return there && (!rebootannotation.IsSign(value) || ladder.IsOperationOf(record.UID, value))
}

// KeptOff says that a person keeps the machine's host off; empty if nobody does.
func KeptOff(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) ladder.Cause {
	if ladder.SingleSteps(record) {
		return ladder.Cause{}
	}
	if _, asked := machine.Annotations[rebootannotation.PowerOff]; asked {
		return ladder.Cause{What: ladder.HostKeptOff, Name: rebootannotation.PowerOff}
	}
	return ladder.Cause{}
}

// AsksForSteps reports whether an annotation asks for a single step of a power cycle.
func AsksForSteps(machine *clusterv1.Machine) bool {
	for key := range machine.Annotations {
		if strings.HasPrefix(key, rebootannotation.Request+"/") {
			return true
		}
	}
	return false
}
