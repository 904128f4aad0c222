package monitor

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// remembered checks that a relapse does not begin with the step with which the previous record began.
func (m *Monitor) remembered(made *v1alpha1.MachineRemediation) {
	plan := m.w.Spec.Plan
	if plan == nil || made.Spec.TemplateRef == nil {
		return
	}
	for _, r := range history.Every[*v1alpha1.MachineRemediation](m.w, kinds.Record) {
		ended := r.Status.CompletionTime
		if r.UID == made.UID || r.Spec.MachineRef.UID != made.Spec.MachineRef.UID || r.Spec.Finding.Reason != made.Spec.Finding.Reason || ended == nil ||
			m.w.Now().Sub(ended.Time) > plan.RelapseWindow() {
			continue
		}
		if tried := lastTried(r); tried >= 0 && startsAt(made) <= tried {
			m.w.Fail(rules.Memory, "record %s begins at step %d, and record %s has tried step %d", made.Name, startsAt(made), r.Name, tried)
		}
	}
}

// lastTried returns the index of the last step with which a record tried to repair; negative if there is none.
func lastTried(r *v1alpha1.MachineRemediation) int {
	last := -1
	for _, attempt := range r.Status.Attempts {
		for i, step := range r.Spec.Steps {
			repairs := step.Action == v1alpha1.ActionReboot || step.Action == v1alpha1.ActionReplace ||
				(step.Action == v1alpha1.ActionRequest && step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded)
			if step.Name == attempt.Step && repairs && attempt.ObjectRef != nil && counts(attempt.Result) {
				last = i
			}
		}
	}
	return last
}

// counts reports whether an attempt with that result tried its step.
func counts(result v1alpha1.AttemptResult) bool {
	return result == v1alpha1.ResultSucceeded || result == v1alpha1.ResultFailed || result == v1alpha1.ResultTimedOut
}

// startsAt returns the index of a record's first step, or the number of steps if none is left.
func startsAt(r *v1alpha1.MachineRemediation) int {
	if r.Spec.StartAt == nil {
		return 0
	}
	for i, step := range r.Spec.Steps {
		if step.Name == r.Spec.StartAt.Step {
			return i
		}
	}
	return len(r.Spec.Steps)
}
