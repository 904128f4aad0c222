package worlds

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// PlanStep returns a step of a plan.
func PlanStep(name string, action v1alpha1.Action, seconds int32, change ...func(*v1alpha1.RemediationStep)) v1alpha1.RemediationStep {
	step := v1alpha1.RemediationStep{Name: name, Action: action, Attempts: 1, DoneWhen: v1alpha1.DoneWhenMachineHealthy, Approval: v1alpha1.ApprovalNotRequired}
	if seconds > 0 {
		step.TimeoutSeconds = &seconds
	}
	for _, one := range change {
		one(&step)
	}
	return step
}

// deletes has a step delete the machine itself.
func deletes(s *v1alpha1.RemediationStep) { s.By = v1alpha1.ReplaceByDeletion }

func twice(s *v1alpha1.RemediationStep) { s.Attempts = 2 }

// Approved makes a step wait for a person's approval.
func Approved(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired }

func evidenceStep(s *v1alpha1.RemediationStep) {
	s.DoneWhen = v1alpha1.DoneWhenRequestSucceeded
	s.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: kinds.Template.GroupVersion().String(), Kind: kinds.Template.Kind, Name: "fix"}
}

func requestStep(s *v1alpha1.RemediationStep) {
	evidenceStep(s)
	s.DoneWhen = v1alpha1.DoneWhenMachineHealthy
}

func plan(steps ...v1alpha1.RemediationStep) *v1alpha1.RemediationPlan {
	return &v1alpha1.RemediationPlan{Mode: v1alpha1.ModeAct, ProbationSeconds: new(int32(300)), RelapseWindowSeconds: new(int32(86400)), Steps: steps}
}

// cloudPlan waits, replaces twice, and leaves the rest to a person.
func cloudPlan() *v1alpha1.RemediationPlan {
	return plan(
		PlanStep("watch", v1alpha1.ActionWait, 120),
		PlanStep("replace", v1alpha1.ActionReplace, 1800, twice),
		PlanStep("hold", v1alpha1.ActionHold, 0),
	)
}

// DeletionPlan deletes a machine, twice if the next one falls sick, too, and leaves the rest to a person.
func DeletionPlan() *v1alpha1.RemediationPlan {
	return plan(PlanStep("replace", v1alpha1.ActionReplace, 1800, deletes, twice), PlanStep("hold", v1alpha1.ActionHold, 0))
}

// metalPlan power-cycles, keeps evidence, and replaces if a person agrees.
func metalPlan() *v1alpha1.RemediationPlan {
	return plan(
		PlanStep("reboot", v1alpha1.ActionReboot, 600, twice),
		PlanStep("evidence", v1alpha1.ActionRequest, 600, evidenceStep),
		PlanStep("repair", v1alpha1.ActionRequest, 900, requestStep),
		PlanStep("replace", v1alpha1.ActionReplace, 1800, Approved),
		PlanStep("hold", v1alpha1.ActionHold, 0),
	)
}

// bounded limits the slots of a plan.
func bounded(plan *v1alpha1.RemediationPlan, slots int32) *v1alpha1.RemediationPlan {
	plan.MaxInFlight = new(intstr.FromInt32(slots))
	return plan
}

// hostsPlan power-cycles, and replaces if that does not help.
func hostsPlan() *v1alpha1.RemediationPlan {
	return plan(PlanStep("reboot", v1alpha1.ActionReboot, 600), PlanStep("replace", v1alpha1.ActionReplace, 1800))
}
