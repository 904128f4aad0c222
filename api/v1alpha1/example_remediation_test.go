package v1alpha1_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A plan for bare metal: reboot twice, then have the machine replaced once a person agrees, and leave it to a person if
// that does not help. A MachineHealthCheck refers to it in spec.remediation.templateRef. What is left out has defaults.
func ExampleMachineRemediationTemplate() {
	template := v1alpha1.MachineRemediationTemplate{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "metal"},
	}
	template.Spec.Template.Spec = v1alpha1.RemediationPlan{
		MaxInFlight: new(intstr.FromString("20%")),
		Steps: []v1alpha1.RemediationStep{
			{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(3600))},
			{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(7200)), Approval: v1alpha1.ApprovalRequired},
			{Name: "hold", Action: v1alpha1.ActionHold},
		},
	}
	text, err := yaml.Marshal(template.Spec)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(string(text))
	// Output:
	// template:
	//   spec:
	//     maxInFlight: 20%
	//     steps:
	//     - action: Reboot
	//       attempts: 2
	//       name: reboot
	//       timeoutSeconds: 3600
	//     - action: Replace
	//       approval: Required
	//       name: replace
	//       timeoutSeconds: 7200
	//     - action: Hold
	//       name: hold
}

// A plan is read by functions, which know the defaults, too.
func ExampleRemediationPlan() {
	plan := v1alpha1.RemediationPlan{
		ProbationSeconds: new(int32(600)),
		Steps:            []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(3600))}},
	}
	fmt.Println("mode:", plan.EffectiveMode())
	fmt.Println("healthy for", plan.Probation())
	fmt.Println("remembered for", plan.RelapseWindow())
	for _, step := range plan.Steps {
		fmt.Println(step.Name, "is tried", step.MaxAttempts(), "time, for", step.Timeout())
	}
	// Output:
	// mode: Act
	// healthy for 10m0s
	// remembered for 168h0m0s
	// reboot is tried 1 time, for 1h0m0s
}

// A person answers the attempt that waits for approval: status.attempt of the MachineRemediation. An answer to another
// attempt is not carried out.
func ExampleRemediationDecision() {
	var waiting v1alpha1.MachineRemediation
	waiting.Status.Attempt = 3

	waiting.Spec.Decision = &v1alpha1.RemediationDecision{
		Attempt: waiting.Status.Attempt, Answer: v1alpha1.AnswerApprove, By: "somebody@example.com", Reason: "the rack has power again",
	}
	text, err := yaml.Marshal(waiting.Spec.Decision)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(string(text))
	// Output:
	// answer: Approve
	// attempt: 3
	// by: somebody@example.com
	// reason: the rack has power again
}
