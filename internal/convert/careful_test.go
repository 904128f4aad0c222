package convert

import (
	"strings"
	"testing"
)

// TestLossIsADryRun: if the notes say dry-run, it is a dry-run, even if the manifest has the annotation already.
func TestLossIsADryRun(t *testing.T) {
	for name, text := range map[string]string{
		"v1beta1, a template that is none": "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a, annotations: {sickbay.dev/dry-run: \"false\"}}\nspec:\n  clusterName: blue\n" +
			"  selector: {matchLabels: {pool: a}}\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  remediationTemplate: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3RemediationTemplate}\n",
		"OpenShift workers": "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a, annotations: {sickbay.dev/dry-run: \"false\"}}\nspec:\n" +
			"  selector: {matchLabels: {machine.openshift.io/cluster-api-machine-role: worker}}\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			converted, _ := stream(t, "a.yaml", []byte(text), options)
			if !strings.Contains(converted, `sickbay.dev/dry-run: "true"`) {
				t.Errorf("no dry-run:\n%s", converted)
			}
		})
	}
}

// TestAbsentLabel: that Nodes lack a label says nothing about the Machines, whose labels the Nodes only copy.
func TestAbsentLabel(t *testing.T) {
	for _, requirement := range []string{
		"{key: node-role.kubernetes.io/infra, operator: DoesNotExist}",
		"{key: node-restriction.kubernetes.io/pool, operator: NotIn, values: [database]}",
	} {
		text := "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec:\n  selector: {matchExpressions: [" + requirement + "]}\n  minHealthy: 51%\n" +
			"  remediationTemplate: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3RemediationTemplate, name: a}\n"
		converted, _ := stream(t, "a.yaml", []byte(text), options)
		if !strings.Contains(converted, `sickbay.dev/dry-run: "true"`) {
			t.Errorf("%s: no dry-run:\n%s", requirement, converted)
		}
	}
}

// TestTwoNames: of two names of a field, the one that its version knows has been in force. If the other one is kept, more may be repaired.
func TestTwoNames(t *testing.T) {
	const head = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: b\n  selector: {matchLabels: {pool: a}}\n"
	for name, text := range map[string]string{
		"a limit":   head + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 1\n  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 100%}}\n",
		"a timeout": head + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 1h, timeoutSeconds: 1}]\n  maxUnhealthy: 1\n",
		"a startup": head + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 1\n  nodeStartupTimeout: 600000h\n",
	} {
		converted, _ := stream(t, "a.yaml", []byte(text), options)
		if !strings.Contains(converted, `sickbay.dev/dry-run: "true"`) {
			t.Errorf("%s: no dry-run:\n%s", name, converted)
		}
	}
}
