package ladder

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// requesting goes by what the request says, if it has a condition Succeeded. A built-in plan knows nothing of the kind that
// it makes, and leaves it to whoever owns that until the time is up.
func (t *turn) requesting(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep) bool {
	if t.f.Safety.KeptOff != "" && step.Action == v1alpha1.ActionReboot {
		t.end(attempt, v1alpha1.ResultAborted, t.f.Safety.KeptOff)
		return t.next()
	}
	if t.annotates(step) {
		return t.inTime(attempt, step)
	}
	request, kind := t.f.Request, attempt.ObjectRef.Kind
	switch {
	case request == nil || request.OperationID != attempt.OperationID:
		return t.fails(attempt, fmt.Sprintf("Somebody has deleted %s %s", kind, attempt.ObjectRef.Name))
	case builtIn(t.f.Record):
		return t.inTime(attempt, step)
	case request.Succeeded == "False":
		return t.fails(attempt, fmt.Sprintf("%s %s has failed: %s", kind, request.Ref.Name, request.Message))
	case request.Succeeded == "True" && evidence(step):
		t.end(attempt, v1alpha1.ResultSucceeded, fmt.Sprintf("%s %s has succeeded", kind, request.Ref.Name))
		t.s.Step = StepAfter(t.f.Record.Spec.Steps, step.Name)
		return t.next()
	}
	return t.inTime(attempt, step)
}
