package admission

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// The steps of the built-in plans.
const (
	StepRequest = "request"
	StepReboot  = "reboot"
	StepReplace = "replace"
)

const (
	hour = 3600
	day  = 24 * hour
)

// BuiltInPlan returns the plan of a MachineHealthCheck that names no MachineRemediationTemplate.
func BuiltInPlan(mhc *clusterv1.MachineHealthCheck, config mhcspec.Config) []v1alpha1.RemediationStep {
	step := v1alpha1.RemediationStep{DoneWhen: v1alpha1.DoneWhenMachineHealthy, Attempts: 1, Approval: v1alpha1.ApprovalNotRequired}
	ref := mhc.Spec.Remediation.TemplateRef
	switch {
	case ref.IsDefined():
		step.Name, step.Action, step.TimeoutSeconds = StepRequest, v1alpha1.ActionRequest, new(int32(day))
		step.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name}
	case config.Strategy == mhcspec.StrategyReboot:
		step.Name, step.Action, step.TimeoutSeconds = StepReboot, v1alpha1.ActionReboot, new(int32(hour))
		step.Attempts = 2
	default:
		step.Name, step.Action, step.TimeoutSeconds = StepReplace, v1alpha1.ActionReplace, new(int32(hour))
	}
	return []v1alpha1.RemediationStep{step}
}
