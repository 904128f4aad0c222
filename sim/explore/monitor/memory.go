package monitor

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// remembered checks that a relapse does not begin with the step with which the previous record began, and that it does not go past a step
// that nobody has begun.
func (m *Monitor) remembered(made *v1alpha1.MachineRemediation) {
	plan := m.w.Spec.Plan
	if plan == nil || made.Spec.TemplateRef == nil {
		return
	}
	if at := startsAt(made); at > 0 && !m.everBegun(made.Spec.Steps[at-1].Name) {
		m.w.Fail(rules.Again, "record %s begins after step %s, which nobody has ever begun", made.Name, made.Spec.Steps[at-1].Name)
	}
	for _, r := range m.records() {
		if !sameIncident(made, r) || m.w.Now().Sub(r.Status.CompletionTime.Time) > plan.RelapseWindow() {
			continue
		}
		if tried := lastTried(r); tried >= 0 && startsAt(made) <= tried {
			m.w.Fail(rules.Memory, "record %s begins at step %d, and record %s has tried step %d", made.Name, startsAt(made), r.Name, tried)
		}
	}
}

// sameIncident reports whether a record that has ended was about the same machine for the same reason.
func sameIncident(made, r *v1alpha1.MachineRemediation) bool {
	return r.UID != made.UID && r.Spec.MachineRef.UID == made.Spec.MachineRef.UID && r.Spec.Finding.Reason == made.Spec.Finding.Reason && r.Status.CompletionTime != nil
}

// lastTried returns the index of the last step with which a record tried to repair; negative if there is none.
func lastTried(r *v1alpha1.MachineRemediation) int {
	last := -1
	for _, attempt := range r.Status.Attempts {
		for i, step := range r.Spec.Steps {
			repairs := step.Action == v1alpha1.ActionReboot || step.Action == v1alpha1.ActionReplace ||
				(step.Action == v1alpha1.ActionRequest && step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded)
			brokenOff := attempt.Result == v1alpha1.ResultAborted && attempt.HostOffAt != nil
			if step.Name == attempt.Step && repairs && attempt.Begun() && (counts(attempt.Result) || brokenOff) {
				last = i
			}
		}
	}
	return last
}

// everBegun reports whether somebody has begun an attempt of a step for some record, or whether it may have been forgotten.
func (m *Monitor) everBegun(step string) bool {
	for _, r := range m.records() {
		for i := range r.Status.Attempts {
			if a := &r.Status.Attempts[i]; a.Step == step && a.Begun() {
				return true
			}
		}
	}
	return false
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
	if i := ladder.IndexOf(r.Spec.Steps, r.Spec.StartAt.Step); i >= 0 {
		return i
	}
	return len(r.Spec.Steps)
}
