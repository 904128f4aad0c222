package v1alpha1_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A template for machines that boot slowly. A MachineHealthCheck refers to it in
// spec.remediation.templateRef. What is left out has defaults.
func ExampleRebootRemediationTemplate() {
	template := v1alpha1.RebootRemediationTemplate{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "slow"},
	}
	template.Spec.Template.Spec = v1alpha1.RebootSettings{
		RetryLimit:         new(int32(2)),
		NodeTimeoutSeconds: new(int32(3600)),
		Isolation:          v1alpha1.OutOfServiceTaint,
	}
	text, err := yaml.Marshal(template)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(string(text))
	// Output:
	// apiVersion: sickbay.dev/v1alpha1
	// kind: RebootRemediationTemplate
	// metadata:
	//   name: slow
	//   namespace: default
	// spec:
	//   template:
	//     spec:
	//       isolation: OutOfServiceTaint
	//       nodeTimeoutSeconds: 3600
	//       retryLimit: 2
}

// The settings are read by functions, which know the defaults too.
func ExampleRebootSettings() {
	settings := v1alpha1.RebootSettings{RetryLimit: new(int32(2)), NodeTimeoutSeconds: new(int32(3600))}
	fmt.Println(settings.Attempts(), "attempts")
	fmt.Println("off within", settings.PowerOffTimeout())
	fmt.Println("the Node back within", settings.NodeTimeout())
	fmt.Println("taints the Node:", settings.TaintsNode())
	// Output:
	// 3 attempts
	// off within 10m0s
	// the Node back within 1h0m0s
	// taints the Node: false
}
