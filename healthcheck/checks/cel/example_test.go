package cel_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// A rule from a configuration file, and an object that it judges.
func Example() {
	var rule cel.Rule
	err := yaml.UnmarshalStrict([]byte(`
current: status.phase == 'Ready'
failed: status.phase == 'Broken'
message: status.?message.orValue('')
codes: "status.?full.orValue(false) ? ['ERR_CONFIGURATION_PROBLEM'] : []"
`), &rule)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := cel.Compile(rule)
	if err != nil {
		fmt.Println(err)
		return
	}
	database := &unstructured.Unstructured{Object: map[string]any{
		"status": map[string]any{"phase": "Broken", "message": "Disk is full", "full": true},
	}}
	result, err := program.Evaluate(context.Background(), database)
	fmt.Println(result.Status, result.Reason, result.Message, result.Codes, err)
	// Output: False Failed Disk is full [ERR_CONFIGURATION_PROBLEM] <nil>
}

// Compile reports what is wrong with a rule.
func ExampleCompile() {
	_, err := cel.Compile(cel.Rule{
		Current: "stats.phase == 'Ready'",
		Failed:  "kind == 'Pod' && \n  status.restarts >",
		Message: "size(status.conditions)",
	})
	fmt.Println(err)
	// Output:
	// current: 1:1: undeclared reference to 'stats'
	// failed: 2:20: Syntax error: mismatched input the end
	// message: 1:5: gives int, must give string
}

// A check of the object itself.
func ExampleCheck() {
	program, err := cel.Compile(cel.Rule{Current: "status.phase == 'Bound'"})
	if err != nil {
		fmt.Println(err)
		return
	}
	condition := healthcheck.ConditionChecks[*corev1.PersistentVolumeClaim]{
		Type:   "Healthy",
		Checks: []healthcheck.NamedCheck[*corev1.PersistentVolumeClaim]{cel.Check[*corev1.PersistentVolumeClaim]("bound", program, nil)},
	}

	claim := &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}
	result, err := condition.Checks[0].Check.Check(context.Background(), healthcheck.Input[*corev1.PersistentVolumeClaim]{Object: claim})
	fmt.Println(result.Status, result.Reason, "for", result.Within, err)
	// Output: Progressing InProgress for 10m0s <nil>
}

// A check of all objects of a kind without a Go type.
func ExampleFor() {
	program, err := cel.Compile(cel.Rule{Current: "status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"})
	if err != nil {
		fmt.Println(err)
		return
	}
	certificates := func(namespace *corev1.Namespace) (client.ObjectList, []client.ListOption) {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("cert-manager.io/v1")
		list.SetKind("CertificateList")
		return list, []client.ListOption{client.InNamespace(namespace.Name)}
	}
	check := checks.Each("certificates", checks.Source, certificates, cel.For[*unstructured.Unstructured](program, nil))
	fmt.Println(check.Name, check.Needs == healthcheck.NeedsSource)
	// Output: certificates true
}
