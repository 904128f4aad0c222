package ladder

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// OperationID makes an attempt of a record safe to repeat: receivers store it and drop repeats.
func OperationID(r *v1alpha1.MachineRemediation, attempt int32) string {
	return fmt.Sprintf("%s/%d", r.UID, attempt)
}

// IsOperationOf reports whether an operationID names an attempt of a record.
func IsOperationOf(record types.UID, operation string) bool {
	return strings.HasPrefix(operation, string(record)+"/")
}

// AtWork returns the attempt that is not over, or nil.
func AtWork(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationAttempt {
	return atWork(&r.Status)
}

// NextStep returns the step at work or the next one; false if none is left.
func NextStep(r *v1alpha1.MachineRemediation) (v1alpha1.RemediationStep, bool) {
	if r.Status.Attempt == 0 {
		return first(r)
	}
	return StepNamed(r, r.Status.Step)
}

// first is the step that a record begins with.
func first(r *v1alpha1.MachineRemediation) (v1alpha1.RemediationStep, bool) {
	if start := r.Spec.StartAt; start != nil {
		return StepNamed(r, start.Step)
	}
	if len(r.Spec.Steps) == 0 {
		return v1alpha1.RemediationStep{}, false
	}
	return r.Spec.Steps[0], true
}

// StepNamed returns the step of a record with this name; false if there is none.
func StepNamed(r *v1alpha1.MachineRemediation, name string) (v1alpha1.RemediationStep, bool) {
	if i := IndexOf(r.Spec.Steps, name); i >= 0 {
		return r.Spec.Steps[i], true
	}
	return v1alpha1.RemediationStep{}, false
}

// IndexOf returns the index of the step with this name; -1 if there is none.
func IndexOf(steps []v1alpha1.RemediationStep, name string) int {
	return slices.IndexFunc(steps, func(step v1alpha1.RemediationStep) bool { return step.Name == name })
}

// firstReplace returns the index of the first step that replaces the machine; -1 if there is none.
func firstReplace(r *v1alpha1.MachineRemediation) int {
	return slices.IndexFunc(r.Spec.Steps, func(step v1alpha1.RemediationStep) bool { return step.Action == v1alpha1.ActionReplace })
}

// StepAfter returns the name of the step after name; empty if there is none.
func StepAfter(steps []v1alpha1.RemediationStep, name string) string {
	for i := range steps {
		if steps[i].Name == name && i+1 < len(steps) {
			return steps[i+1].Name
		}
	}
	return ""
}

// actFor returns the act of a step on this machine.
func (d *draft) actFor(step v1alpha1.RemediationStep) Act {
	return actOf(step, d.f.Machine.Owner != nil)
}

// actOf returns the act of a step, by whether a controller owns the machine; None for a step that only waits, and for an action that
// this version does not know.
func actOf(step v1alpha1.RemediationStep, owned bool) Act {
	switch step.Action {
	case v1alpha1.ActionRequest:
		return CreateRequest
	case v1alpha1.ActionReboot:
		return CreateReboot
	case v1alpha1.ActionReplace:
		if owned && !step.Deletes() {
			return MarkForOwner
		}
		return DeleteMachine
	default:
		return None
	}
}

// Acts reports whether steps with an action need a slot: those that have an act. An unknown action has none.
func Acts(action v1alpha1.Action) bool {
	return actOf(v1alpha1.RemediationStep{Action: action}, false) != None
}

func known(action v1alpha1.Action) bool {
	return Acts(action) || action == v1alpha1.ActionWait || action == v1alpha1.ActionHold
}

// NeverGivenUp reports whether a step begins again however often it fails: the replacement of the built-in plan. What somebody asked for without
// a finding comes to an end.
func NeverGivenUp(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) bool {
	return r.Spec.BuiltIn() && step.Action == v1alpha1.ActionReplace && !r.Spec.AskedFor()
}

// Repairs reports whether a step is meant to make the machine healthy, unlike evidence and waiting.
func Repairs(step v1alpha1.RemediationStep) bool { return Acts(step.Action) && !evidence(step) }

// evidence reports whether a step makes a request that repairs nothing, and that stays as long as the record.
func evidence(step v1alpha1.RemediationStep) bool {
	return step.Action == v1alpha1.ActionRequest && step.DoneWhen == v1alpha1.DoneWhenRequestSucceeded
}
