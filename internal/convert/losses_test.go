package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	oldCheck = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: b\n  selector: {matchLabels: {pool: a}}\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n"
	newCheck = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: b\n  selector: {matchLabels: {pool: a}}\n"
	osCheck  = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {machine.openshift.io/cluster-api-machineset: a}}\n"
	nodeHead = "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec:\n"
	nodeRest = "  unhealthyConditions: [{type: Ready, status: Unknown, duration: 5m}]\n"
	nodeRef  = "  remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}\n"
	dryRun   = `sickbay.dev/dry-run: "true"`
)

// TestLostLimit: a lost field that looks like a limit makes it a dry-run, whatever its name, and another one does not.
func TestLostLimit(t *testing.T) {
	for field, careful := range map[string]bool{
		"maxUnhealty: 40%": true, "maxUnhealthyy: 2": true, "minHealthy: 51%": true, "range: '[1-2]'": true, "limits: {most: 40%}": true, "theTemplate: {name: a}": true,
		"note: ours": false, "priority: {class: high}": false, "maxUnhealty: null": false,
	} {
		for _, head := range []string{oldCheck, osCheck} {
			converted, _ := stream(t, "a.yaml", []byte(head+"  "+field+"\n"), options)
			if got := strings.Contains(converted, dryRun); got != careful && !strings.HasSuffix(field, "null") {
				t.Errorf("%s: a dry-run: %t, want %t:\n%s", field, got, careful, converted)
			}
		}
	}
}

// TestMisplaced: what stands one level too high or under an older name is moved to its place.
func TestMisplaced(t *testing.T) {
	for text, want := range map[string]string{
		newCheck + "  triggerIf: {unhealthyLessThanOrEqualTo: 40%}\n":                                 "  remediation:\n    triggerIf: {unhealthyLessThanOrEqualTo: 40%}\n",
		newCheck + "  unhealthyLessThanOrEqualTo: 40%\n":                                              "unhealthyLessThanOrEqualTo: 40%",
		newCheck + "  unhealthyInRange: \"[1-2]\"\n":                                                  "unhealthyInRange: \"[1-2]\"",
		newCheck + "  templateRef: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}\n":        "  remediation:\n    templateRef: {apiVersion",
		newCheck + "  checks: {unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}\n": "checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}",
	} {
		converted, notes := stream(t, "a.yaml", []byte(text), options)
		if !strings.Contains(converted, want) || len(notes) > 0 || strings.Contains(converted, dryRun) {
			t.Errorf("%+v, want %s:\n%s", notes, want, converted)
		}
		if again, notes := stream(t, "a.yaml", []byte(converted), options); again != converted || len(notes) > 0 {
			t.Errorf("%+v: it is converted again:\n%s", notes, again)
		}
	}
}

// TestLost: what is lost is reported by its own path, with what was meant.
func TestLost(t *testing.T) {
	const noField = ": a NodeHealthCheck has no such field"
	for text, want := range map[string]string{
		nodeHead + nodeRest + strings.Replace(nodeRef, "ATemplate", "A", 1):                                                                                                    "spec.remediationTemplate: a template must be of a kind that ends in Template",
		newCheck + "  maxUnhealthy: 1\n  remediation: {maxInFlight: 1}\n":                                                                                                      "spec.remediation.maxInFlight: a MachineHealthCheck has no such field",
		newCheck + "  maxUnhealthy: 1\n  remediation: {triggerIf: {most: 1}}\n":                                                                                                "spec.remediation.triggerIf.most: a MachineHealthCheck has no such field",
		newCheck + "  maxUnhealthy: 1\n  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300, reason: x}]}\n":                                "spec.checks.unhealthyNodeConditions[0].reason: a MachineHealthCheck has no such field",
		newCheck + "  maxUnhealthy: 1\n  checks: {every: 1}\n":                                                                                                                 "spec.checks.every: a MachineHealthCheck has no such field",
		nodeHead + nodeRest + nodeRef + "  nodeStartupTimeout: 10m\n":                                                                                                          "spec.nodeStartupTimeout" + noField,
		nodeHead + nodeRest + nodeRef + "  nodeStartupTimeoutSeconds: 600\n":                                                                                                   "spec.nodeStartupTimeoutSeconds" + noField,
		nodeHead + nodeRest + nodeRef + "  checks: {nodeStartupTimeout: 10m}\n":                                                                                                "spec.checks" + noField,
		nodeHead + nodeRest + nodeRef + "  remediation: {triggerIf: {unhealthyInRange: a}}\n":                                                                                  "spec.remediation" + noField,
		nodeHead + nodeRest + nodeRef + "  escalatingRemediations: [{order: 1, timeout: 5m, remediationTemplate: {apiVersion: a.example.com/v1, kind: BTemplate, name: a}}]\n": "spec.remediationTemplate: spec has both remediationTemplate and escalatingRemediations",
		osCheck + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n":           "spec.unhealthyNodeConditions: spec has both unhealthyNodeConditions and unhealthyConditions",
		nodeHead + nodeRest + nodeRef + "  unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n":                                                           "spec.unhealthyNodeConditions: spec has both unhealthyNodeConditions and unhealthyConditions",
		oldCheck + "  maxUnhealthy: 1\n  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 2}}\n":                                                                          "spec.maxUnhealthy: spec has both maxUnhealthy and remediation.triggerIf.unhealthyLessThanOrEqualTo",
		newCheck + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 300}]\n":                                                                                   `spec.unhealthyConditions[0]: its timeout cannot be read: "300" is not a duration like 5m; perhaps 300s is meant`,
		nodeHead + nodeRef + "  unhealthyConditions: [{type: Ready, status: Unknown, duration: 300}]\n":                                                                        `spec.unhealthyConditions[0]: its duration cannot be read: "300" is not a duration like 5m; perhaps 300s is meant`,
	} {
		converted, notes := stream(t, "a.yaml", []byte(text), options)
		if !slices.ContainsFunc(notes, func(n Note) bool { return n.Lost && n.Field+": "+n.Message == want }) {
			t.Errorf("%+v, want %s:\n%s", notes, want, converted)
		}
		if n := strings.Count(converted, "\n    nodeStartupTimeoutSeconds:"); strings.HasPrefix(text, nodeHead) && n != 1 {
			t.Errorf("it has %d startup timeouts:\n%s", n, converted)
		}
	}
}

// TestWorkersOfTheControlPlane: that a control plane works as well cannot be expressed, and must not become a contradiction.
func TestWorkersOfTheControlPlane(t *testing.T) {
	const worker, plane = "{key: node-role.kubernetes.io/worker, operator: Exists}", "{key: node-role.kubernetes.io/%s, operator: Exists}"
	for _, selector := range []string{
		"{matchExpressions: [" + worker + ", " + fmt.Sprintf(plane, "control-plane") + "]}", "{matchExpressions: [" + fmt.Sprintf(plane, "master") + ", " + worker + "]}",
		"{matchLabels: {node-role.kubernetes.io/worker: '', node-role.kubernetes.io/control-plane: ''}}",
	} {
		converted, _ := stream(t, "a.yaml", []byte(nodeHead+"  selector: "+selector+"\n"+nodeRest+nodeRef), options)
		if strings.Contains(converted, "DoesNotExist") || !strings.Contains(converted, dryRun) || !strings.Contains(converted, "Not converted: spec.selector") {
			t.Errorf("%s becomes\n%s", selector, converted)
		}
	}
}

// TestCommentsInBraces: a comment that is added does not stand in braces, where it would break a line.
func TestCommentsInBraces(t *testing.T) {
	converted, _ := stream(t, "a.yaml", []byte("{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineHealthCheck, metadata: {name: a, labels: {x: z}}, spec: {clusterName: b, selector: {matchLabels: {pool: a}}, minHealthy: 51%}}\n"), options)
	if !strings.Contains(converted, "metadata:\n  name: a\n  labels: {x: z}\n  annotations:\n    sickbay.dev/dry-run: \"true\" # remove it") {
		t.Errorf("it is\n%s", converted)
	}
}

// TestJSONWithLosses: JSON stays one value of JSON in its style, without comments, even if one object becomes two or something is lost.
func TestJSONWithLosses(t *testing.T) {
	const one = `{"apiVersion":"remediation.medik8s.io/v1alpha1","kind":"NodeHealthCheck","metadata":{"name":"a"},"spec":{"minHealthy":2,"selector":{"matchLabels":{"node-role.kubernetes.io/worker":""}},` +
		`"remediationTemplate":{"apiVersion":"a.example.com/v1","kind":"ATemplate","name":"a"}}}`
	for _, tt := range []struct {
		text  string
		lines bool
	}{
		{one, false}, {`{"apiVersion":"v1","kind":"List","items":[` + one + `]}`, false}, {"{\n  " + one[1:] + "\n", true},
	} {
		converted, notes := stream(t, "a.json", []byte(tt.text), options)
		var got struct {
			Kind  string
			Items []struct{ Kind string }
		}
		if err := json.Unmarshal([]byte(converted), &got); err != nil || got.Kind != "List" || len(got.Items) != 2 || len(notes) == 0 {
			t.Errorf("%v: it is\n%s", err, converted)
		}
		if strings.Contains(converted, "\n  \"") != tt.lines {
			t.Errorf("it is not in the style of its input:\n%s", converted)
		}
	}
}
