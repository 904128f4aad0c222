package admission

import (
	"time"

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

// BuiltInPlan returns the plan of a MachineHealthCheck that names no MachineRemediationTemplate. If it names a RebootRemediationTemplate, reboot
// is what that one says.
func BuiltInPlan(mhc *clusterv1.MachineHealthCheck, config mhcspec.Config, reboot v1alpha1.RebootSettings) []v1alpha1.RemediationStep {
	ref := mhc.Spec.Remediation.TemplateRef
	template := &v1alpha1.StepTemplateReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name}
	switch {
	case NamesReboots(mhc):
		cycle := stepOf(StepReboot, v1alpha1.ActionReboot, reboot.Attempts(), int32(reboot.LongestCycle()/time.Second))
		cycle.TemplateRef = template
		return []v1alpha1.RemediationStep{cycle, stepOf(StepReplace, v1alpha1.ActionReplace, 1, hour)}
	case ref.IsDefined():
		request := stepOf(StepRequest, v1alpha1.ActionRequest, 1, day)
		request.TemplateRef = template
		return []v1alpha1.RemediationStep{request}
	case config.Strategy == mhcspec.StrategyReboot:
		return []v1alpha1.RemediationStep{stepOf(StepReboot, v1alpha1.ActionReboot, 2, hour)}
	}
	return []v1alpha1.RemediationStep{stepOf(StepReplace, v1alpha1.ActionReplace, 1, hour)}
}

func stepOf(name string, action v1alpha1.Action, attempts, seconds int32) v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: name, Action: action, Attempts: attempts, TimeoutSeconds: &seconds, DoneWhen: v1alpha1.DoneWhenMachineHealthy, Approval: v1alpha1.ApprovalNotRequired,
	}
}

// NamesReboots reports whether a MachineHealthCheck names a RebootRemediationTemplate: its machines are power-cycled before they are replaced.
func NamesReboots(mhc *clusterv1.MachineHealthCheck) bool {
	ref := mhc.Spec.Remediation.TemplateRef
	return ref.Kind == "RebootRemediationTemplate" && ref.GroupVersionKind().Group == v1alpha1.GroupVersion.Group
}
