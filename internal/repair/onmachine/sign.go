package onmachine

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// SignOver reports whether a Machine still shows a power cycle of a record that is over. The sign in the place of an annotation stays: it shows that
// the annotation is answered.
func SignOver(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) bool {
	return ladder.IsOperationOf(record.UID, machine.Annotations[rebootannotation.Request]) && !AskedByAnnotation(record) && CycleAtWork(record) == ""
}

// CycleAtWork returns the operationID of the power cycle at work; empty if there is none.
func CycleAtWork(record *v1alpha1.MachineRemediation) string {
	attempt := ladder.AtWork(record)
	if attempt == nil || attempt.ObjectRef == nil {
		return ""
	}
	if step, _ := ladder.StepNamed(record, attempt.Step); step.Action != v1alpha1.ActionReboot {
		return ""
	}
	return attempt.OperationID
}

// AskedByAnnotation reports whether an annotation asked for a whole power cycle.
func AskedByAnnotation(record *v1alpha1.MachineRemediation) bool {
	by := record.Spec.RequestedBy
	return by != nil && by.Kind == v1alpha1.AskedByAnnotation && !ladder.SingleSteps(record)
}
