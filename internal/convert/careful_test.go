package convert

import (
	"fmt"
	"slices"
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

// TestBrokenExpressions: what no API server takes in a selector stays as it is, and is reported with its line, in every dialect.
func TestBrokenExpressions(t *testing.T) {
	for _, dialect := range []string{
		"apiVersion: cluster.x-k8s.io/v1alpha3\nkind: MachineHealthCheck\nspec: {clusterName: blue, selector: {matchExpressions: [\n%s]}, maxUnhealthy: 1}\n",
		"apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nspec: {selector: {matchExpressions: [\n%s]}, maxUnhealthy: 1}\n",
		"apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec: {selector: {matchExpressions: [\n%s]}, minHealthy: 51%%}\n",
	} {
		for expression, problem := range map[string]string{
			"{key: a, values: [b]}":                   "it has no operator",
			"{operator: Exists}":                      "it has no key",
			"{key: a, operator: null}":                "it has no operator",
			"{key: a, operator: Equals, values: [b]}": `"Equals" is not a valid label selector operator`,
			"{key: a, operator: In}":                  "for 'in', 'notin' operators, values set can't be empty",
			"{key: a, operator: Exists, values: [b]}": "values set must be empty for exists and does not exist",
			"[a, b]": "it is not a requirement of a selector",
			"{key: node-role.kubernetes.io/worker, operator: }": "it has no operator",
		} {
			text := fmt.Sprintf(dialect, expression)
			before, _, _ := strings.Cut(text, expression)
			line := strings.Count(before, "\n") + 1
			converted, notes := stream(t, "a.yaml", []byte(text), options)
			if !slices.ContainsFunc(notes, func(n Note) bool {
				return n.Lost && n.Field == "spec.selector.matchExpressions[0]" && n.Line == line && strings.Contains(n.Message, problem)
			}) {
				t.Errorf("%s of\n%snotes are %+v in\n%s", expression, text, notes, converted)
			}
		}
		text := fmt.Sprintf(dialect, "{key: a, operator: In, values: [b]}, {key: c, operator: DoesNotExist}")
		if _, notes := stream(t, "a.yaml", []byte(text), options); slices.ContainsFunc(notes, func(n Note) bool { return strings.Contains(n.Message, "refuses") }) {
			t.Errorf("nothing is broken, and the notes are %+v", notes)
		}
	}
}

// TestPartsStay: what is part of a ClusterClass or a Cluster cannot be a dry-run, and what Cluster API's own conversion does not take cannot be
// converted. It stays as it is, to the letter, with the reason.
func TestPartsStay(t *testing.T) {
	const class, cluster = "apiVersion: cluster.x-k8s.io/%s\nkind: ClusterClass\nmetadata: {name: a}\nspec:\n  controlPlane:\n    %s\n",
		"apiVersion: cluster.x-k8s.io/%s\nkind: Cluster\nmetadata: {name: a}\nspec:\n  topology:\n    workers:\n      machineDeployments:\n      - %s\n"
	for _, tt := range []struct{ text, why string }{
		{fmt.Sprintf(class, "v1beta2", "machineHealthCheck: {remediationTemplate: {kind: ATemplate}}"), "a template needs an apiVersion"},
		{fmt.Sprintf(class, "v1beta1", "machineHealthCheck: {nodeStartupTimeout: soon}"), `"soon" is not a duration`},
		{fmt.Sprintf(class, "v1beta2", "{healthCheck: {}, machineHealthCheck: {}}"), "it has both this and healthCheck"},
		{fmt.Sprintf(class, "v1beta2", "machineHealthCheck: [a]"), "it must have fields"},
		{fmt.Sprintf(cluster, "v1beta1", "{kind: a, machineHealthCheck: {maxUnhealthy: 1}}"), `unknown field "kind"`},
		{fmt.Sprintf(cluster, "v1beta1", "{replicas: many, machineHealthCheck: {maxUnhealthy: 1}}"), "v1beta1 of Cluster API does not take it"},
		{fmt.Sprintf(cluster, "v1beta1", "{class: '${CLASS}', machineHealthCheck: {maxUnhealthy: 1}}"), "it is a template, with ${CLASS}"},
	} {
		converted, notes := stream(t, "a.yaml", []byte(tt.text), options)
		if converted != tt.text || len(notes) != 1 || !notes[0].Lost || notes[0].Line == 0 || !strings.Contains(notes[0].Message, "it stays as it is: ") || !strings.Contains(notes[0].Message, tt.why) {
			t.Errorf("said %+v, want %q\n%s", notes, tt.why, converted)
		}
	}
	unchecked := fmt.Sprintf(class, "v1beta1", "metadata: {labels: {a: '${A}'}}")
	if converted, notes := stream(t, "a.yaml", []byte(unchecked), options); converted != unchecked || len(notes) > 0 {
		t.Errorf("said %+v\n%s", notes, converted)
	}
}
