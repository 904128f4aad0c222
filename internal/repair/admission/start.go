package admission

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

// Steps are the plan of new records: that of the MachineRemediationTemplate, or the built-in one.
func Steps(f Facts, config mhcspec.Config) []v1alpha1.RemediationStep {
	if mhcspec.NamesPlan(f.MachineHealthCheck) {
		if f.Template.Plan == nil {
			return nil
		}
		return planSteps(&f.Template.Plan.Spec.Template.Spec)
	}
	return BuiltInPlan(f.MachineHealthCheck, config, f.Template.Reboot)
}

// planSteps copies the steps of a plan. In the mode Approve, a person approves every step that does something.
func planSteps(plan *v1alpha1.RemediationPlan) []v1alpha1.RemediationStep {
	steps := make([]v1alpha1.RemediationStep, len(plan.Steps))
	for i := range plan.Steps {
		plan.Steps[i].DeepCopyInto(&steps[i])
		if plan.EffectiveMode() == v1alpha1.ModeApprove && asksApproval(steps[i].Action) {
			steps[i].Approval = v1alpha1.ApprovalRequired
		}
	}
	return steps
}

// asksApproval reports whether a step needs approval in the mode Approve; steps that only a later version knows do, too.
func asksApproval(action v1alpha1.Action) bool {
	return action != v1alpha1.ActionWait && action != v1alpha1.ActionHold
}

// begin says where in its plan a new record begins, as far as earlier records determine it. Built-in plans remember nothing.
func (d *Decision) begin(f Facts, past history, one Admission, now time.Time) Admission {
	if one.Record != nil {
		return one
	}
	if plan := f.Template.Plan; plan != nil {
		records, incident := past.of(one)
		one.Start = memory.StartAt(d.Steps, records, incident, plan.Spec.Template.Spec.RelapseWindow(), now)
	}
	one.Grant = firstGrant(d.Steps, one.Start)
	return one
}

// StartBy applies the step to which a rule of the plan jumps, if one does, to an admission: the later step of the rule's and the history's
// counts. If a rule could not be evaluated, the record gets no slot, and a person decides. A rule can take a slot away but never gives one:
// a machine that needed none was neither counted nor paced. Its record gets in line.
func (d *Decision) StartBy(one Admission, step, rule string, err error) Admission {
	if one.Record != nil || one.Stray != "" {
		return one
	}
	if err != nil {
		one.Grant = 0
		return one
	}
	if step != "" {
		one.Start = memory.Later(one.Start, &v1alpha1.RemediationStart{Step: step, Reason: "Rule " + rule + " applies"}, d.Steps)
	}
	one.Grant = min(one.Grant, firstGrant(d.Steps, one.Start))
	return one
}

// firstGrant returns spec.grant of a new record: 0 if a person decides first, or approves its first act.
func firstGrant(steps []v1alpha1.RemediationStep, start *v1alpha1.RemediationStart) int32 {
	from := 0
	if start != nil {
		from = ladder.IndexOf(steps, start.Step)
	}
	if from < 0 {
		return 0
	}
	for _, step := range steps[from:] {
		if step.Action == v1alpha1.ActionWait {
			continue
		}
		if ladder.Acts(step.Action) && !step.NeedsApproval() {
			return 1
		}
		return 0
	}
	return 0
}
