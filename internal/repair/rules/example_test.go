package rules_test

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// play plays one finding of a Node after the other through the rules of a plan.
func play(plan v1alpha1.RemediationPlan, findings ...rules.Finding) {
	compiled, err := rules.Compile(&plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, finding := range findings {
		step, rule, err := compiled.StartAt(rules.Input{Findings: []rules.Finding{finding}})
		if step == "" {
			step = "the first step"
		}
		fmt.Println(finding.Type, finding.Reason, "->", step, rule, err)
	}
}

// NVSentinel says in the message of a condition what it recommends, in one of two forms. One message can name several faults,
// so the rule for the gravest comes first.
func ExampleRules_StartAt_nvsentinel() {
	steps := []v1alpha1.RemediationStep{{Name: "reset"}, {Name: "reboot"}, {Name: "replace"}, {Name: "support"}}
	recommends := func(actions string) string {
		return fmt.Sprintf(`findings.exists(f, f.message.matches('Recommended ?Action(=|: )(%s)\\b'))`, actions)
	}
	play(v1alpha1.RemediationPlan{Steps: steps, Rules: []v1alpha1.RemediationRule{
		{Name: "support", Expression: recommends("CONTACT_SUPPORT|RUN_FIELDDIAG|RUN_DCGMEUD"), StartAt: "support"},
		{Name: "replace", Expression: recommends("REPLACE_VM"), StartAt: "replace"},
		{Name: "reboot", Expression: recommends("RESTART_VM|RESTART_BM"), StartAt: "reboot"},
	}},
		rules.Finding{Type: "SysLogsXIDError", Reason: "SysLogsXIDErrorIsNotHealthy", Message: "ErrorCode:119 GPU:0 Recommended Action=COMPONENT_RESET;"},
		rules.Finding{Type: "SysLogsXIDError", Reason: "SysLogsXIDErrorIsNotHealthy", Message: "ErrorCode:119 GPU:0 Recommended Action=COMPONENT_RESET;ErrorCode:79 GPU:1 Recommended Action=RESTART_VM;"},
		rules.Finding{Type: "GpuMemWatch", Reason: "HardwareFailure", Message: "[DCGM_FR_FAULTY_MEMORY] GPU 0 - RecommendedAction: RESTART_BM"},
		rules.Finding{Type: "GpuThermalWatch", Reason: "GpuThermalWatchIsNotHealthy", Message: "GPU:3 Recommended Action=CONTACT_SUPPORT;"},
	)
	// Output:
	// SysLogsXIDError SysLogsXIDErrorIsNotHealthy -> the first step  <nil>
	// SysLogsXIDError SysLogsXIDErrorIsNotHealthy -> reboot reboot <nil>
	// GpuMemWatch HardwareFailure -> reboot reboot <nil>
	// GpuThermalWatch GpuThermalWatchIsNotHealthy -> support support <nil>
}

// EKS's node monitoring agent has one condition for each subsystem; the fault is in its reason.
func ExampleRules_StartAt_eks() {
	steps := []v1alpha1.RemediationStep{{Name: "wait"}, {Name: "replace"}, {Name: "hold"}}
	play(v1alpha1.RemediationPlan{Steps: steps, Rules: []v1alpha1.RemediationRule{
		{Name: "look-first", Expression: `findings.exists(f, f.reason in ['DCGMError', 'DCGMDiagnosticFailure'])`, StartAt: "hold"},
		{Name: "broken", Expression: `findings.exists(f, f.type == 'AcceleratedHardwareReady' && f.reason.startsWith('Nvidia'))`, StartAt: "replace"},
	}},
		rules.Finding{Type: "AcceleratedHardwareReady", Reason: "NvidiaFabricError"},
		rules.Finding{Type: "AcceleratedHardwareReady", Reason: "DCGMError"},
		rules.Finding{Type: "NetworkingReady", Reason: "IPAMDNotReady"},
	)
	// Output:
	// AcceleratedHardwareReady NvidiaFabricError -> replace broken <nil>
	// AcceleratedHardwareReady DCGMError -> hold look-first <nil>
	// NetworkingReady IPAMDNotReady -> the first step  <nil>
}

// node-problem-detector has one condition for each problem.
func ExampleRules_StartAt_nodeProblemDetector() {
	steps := []v1alpha1.RemediationStep{{Name: "wait"}, {Name: "replace"}}
	play(v1alpha1.RemediationPlan{Steps: steps, Rules: []v1alpha1.RemediationRule{
		{Name: "disk", Expression: `findings.exists(f, f.type in ['ReadonlyFilesystem', 'XfsShutdown'])`, StartAt: "replace"},
	}},
		rules.Finding{Type: "ReadonlyFilesystem", Reason: "FilesystemIsReadOnly"},
		rules.Finding{Type: "FrequentKubeletRestart", Reason: "FrequentKubeletRestart"},
	)
	// Output:
	// ReadonlyFilesystem FilesystemIsReadOnly -> replace disk <nil>
	// FrequentKubeletRestart FrequentKubeletRestart -> the first step  <nil>
}
