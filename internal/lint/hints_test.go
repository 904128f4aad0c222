package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// todayIs matches a hint that says what convert makes of a field.
var todayIs = regexp.MustCompile(`it is (\S+) today, and sickbay convert writes it so|has it, and sickbay convert writes that version|and sickbay convert writes v1beta2`)

// unconfirmed returns a finding that promises what convert does not do with the same text; empty if there is none.
func unconfirmed(text string, found []Finding) string {
	for _, one := range found {
		said := todayIs.FindStringSubmatch(one.Message)
		if said == nil {
			if strings.Contains(one.Message, "sickbay convert") {
				return "nobody confirms " + one.String()
			}
			continue
		}
		want := one.Field
		if said[1] != "" {
			want = one.Field[:strings.LastIndex(one.Field, ".")+1] + said[1]
		}
		if strings.HasPrefix(said[1], "spec.") {
			want = said[1]
		}
		if !written(text, one, want) {
			return "convert does not write " + want + ", against " + one.String()
		}
	}
	return ""
}

// written reports whether convert writes a field of the object that a finding is about, as v1beta2.
func written(text string, about Finding, path string) bool {
	documents, _ := manifest.Parse("text.yaml", []byte(text))
	for _, document := range documents {
		if !slices.ContainsFunc(document.Objects, func(o manifest.Object) bool { return o.Title() == about.Object }) {
			continue
		}
		converted, _ := convert.Document(document, convert.Options{})
		again, _ := manifest.Parse("converted.yaml", []byte(converted))
		for _, one := range again {
			for _, obj := range one.Objects {
				if found := hasItem(obj.Node, path); found && converted != document.Text && obj.Kind().Version == "v1beta2" {
					return true
				}
			}
		}
	}
	return false
}

// hasItem reports whether a node has a field, in that item of its list or in another one: convert leaves out what is refused.
func hasItem(n *yaml.Node, path string) bool {
	_, _, found := manifest.At(n, path)
	_, _, first := manifest.At(n, items.ReplaceAllString(path, "[0]"))
	return found || first
}

// TestHints: a field with a name of another dialect, version or place gets a hint that is right for the object it is in.
func TestHints(t *testing.T) {
	head := func(version, kind string) string {
		return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a, namespace: default}\nspec:\n"
	}
	const selector = "  selector: {matchLabels: {pool: a}}\n"
	old := head("cluster.x-k8s.io/v1beta1", "MachineHealthCheck") + "  clusterName: blue\n" + selector
	new := head("cluster.x-k8s.io/v1beta2", "MachineHealthCheck") + "  clusterName: blue\n" + selector
	openShift := head("machine.openshift.io/v1beta1", "MachineHealthCheck") + selector
	nodes := strings.Replace(head("remediation.medik8s.io/v1alpha1", "NodeHealthCheck"), ", namespace: default", "", 1) + selector
	const ref = "{apiVersion: a.example.com/v1, kind: ATemplate, name: a%s}"
	for text, want := range map[string]string{
		new + "  maxUnhealthy: 40%":                                                                        "spec.maxUnhealthy: there is no such field; it is spec.remediation.triggerIf.unhealthyLessThanOrEqualTo today, and sickbay convert writes it so",
		new + `  unhealthyRange: "[1-2]"`:                                                                  "spec.unhealthyRange: there is no such field; it is spec.remediation.triggerIf.unhealthyInRange today, and",
		new + "  nodeStartupTimeout: 10m":                                                                  "spec.nodeStartupTimeout: there is no such field; it is spec.checks.nodeStartupTimeoutSeconds today, and",
		new + "  remediationTemplate: " + fmt.Sprintf(ref, ""):                                             "spec.remediationTemplate: there is no such field; it is spec.remediation.templateRef today, and",
		new + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]":                       "spec.unhealthyConditions: there is no such field; it is spec.checks.unhealthyNodeConditions today, and",
		new + "  unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 300s}]":                 "spec.unhealthyNodeConditions: there is no such field; it is spec.checks.unhealthyNodeConditions today, and",
		new + "  unhealthyMachineConditions: [{type: NodeHealthy, status: Unknown, timeoutSeconds: 3000}]": "spec.unhealthyMachineConditions: there is no such field; it is spec.checks.unhealthyMachineConditions today, and",
		new + "  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 5m}]}":         "timeout: there is no such field; it is timeoutSeconds today, and sickbay convert writes it so",
		new + "  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, duration: 5m}]}":        "duration: there is no such field; it is timeoutSeconds today, and sickbay convert writes it so",
		new + "  checks: {unhealthyMachineConditions: [{type: Ready, status: Unknown, timeoutSeconds: 5}, {type: NodeHealthy, status: Unknown, timeout: 50m}]}": "spec.checks.unhealthyMachineConditions[1].timeout: there is no such field; it is timeoutSeconds today, and sickbay convert writes it so",
		new + "  checks: {nodeStartupTimeout: 5m}":                                                 "spec.checks.nodeStartupTimeout: there is no such field; it is nodeStartupTimeoutSeconds today, and sickbay convert writes it so",
		new + "  checks: {unhealthyConditions: []}":                                                "spec.checks.unhealthyConditions: there is no such field; here it is unhealthyNodeConditions",
		new + "  remediation: {templateRef: " + fmt.Sprintf(ref, ", namespace: b") + "}":           "spec.remediation.templateRef.namespace: there is no such field; a template is looked for in the namespace of its object",
		new + "  remediation: {unhealthyInRange: \"[1-2]\"}":                                       "spec.remediation.unhealthyInRange: there is no such field; it belongs in spec.remediation.triggerIf",
		new + "  remediation: {maxUnhealthy: 1}":                                                   "spec.remediation.maxUnhealthy: there is no such field; it is unhealthyLessThanOrEqualTo, in spec.remediation.triggerIf",
		new + "  templateRef: " + fmt.Sprintf(ref, ""):                                             "spec.templateRef: there is no such field; it is spec.remediation.templateRef today, and sickbay convert writes it so",
		new + "  nodeStartupTimeout: soon":                                                         "spec.nodeStartupTimeout: there is no such field; it is nodeStartupTimeoutSeconds, in spec.checks",
		old + "  maxUnhealty: 40%":                                                                 "spec.maxUnhealty: there is no such field; perhaps maxUnhealthy is meant",
		old + "  unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 300s}]":         "spec.unhealthyNodeConditions: there is no such field; here it is unhealthyConditions",
		old + "  unhealthyConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]":       "spec.unhealthyConditions[0].timeoutSeconds: there is no such field; here it is timeout",
		old + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m, tipe: a}]":      "spec.unhealthyConditions[0].tipe: there is no such field; perhaps type is meant",
		old + "  checks: {nodeStartupTimeoutSeconds: 300}":                                         "spec.checks: there is no such field; v1beta2 has it, and sickbay convert writes that version",
		old + "  checks: [a]":                                                                      "spec.checks: there is no such field",
		openShift + "  unhealthyConditions: [{type: Ready, status: Unknown, duration: 5m}]":        "spec.unhealthyConditions[0].duration: there is no such field; here it is timeout",
		openShift + "  unhealthyConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]": "spec.unhealthyConditions[0].timeoutSeconds: there is no such field; here it is timeout",
		openShift + "  nodeStartupTimeoutSeconds: 600":                                             "spec.nodeStartupTimeoutSeconds: there is no such field; here it is nodeStartupTimeout",
		openShift + "  clusterName: blue":                                                          "spec.clusterName: there is no such field; MachineHealthChecks of cluster.x-k8s.io have it",
		openShift + "  minHealthy: 51%":                                                            "spec.minHealthy: there is no such field; NodeHealthChecks of remediation.medik8s.io have it",
		openShift + "  escalatingRemediations: []":                                                 "spec.escalatingRemediations: there is no such field; NodeHealthChecks of remediation.medik8s.io have it",
		nodes + "  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]":             "spec.unhealthyConditions[0].timeout: there is no such field; here it is duration",
		nodes + "  unhealthyConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]":     "spec.unhealthyConditions[0].timeoutSeconds: there is no such field; here it is duration",
		nodes + "  remediationTemplate: " + fmt.Sprintf(ref, ", timeout: 60s"):                     "spec.remediationTemplate.timeout: there is no such field; it belongs in spec.escalatingRemediations[]",
		nodes + "  remediationTemplate: " + fmt.Sprintf(ref, ", order: 1"):                         "spec.remediationTemplate.order: there is no such field; it belongs in spec.escalatingRemediations[]",
		nodes + "  order: 1": "spec.order: there is no such field; it belongs in spec.escalatingRemediations[]",
		nodes + "  escalatingRemediations: [{order: 1, duration: 60s, remediationTemplate: " + fmt.Sprintf(ref, "") + "}]": "spec.escalatingRemediations[0].duration: there is no such field; here it is timeout",
		nodes + "  escalatingRemediations: [{order: 1, timeout: 60s, templateRef: " + fmt.Sprintf(ref, "") + "}]":          "spec.escalatingRemediations[0].templateRef: there is no such field; here it is remediationTemplate",
		nodes + "  duration: 5m": "spec.duration: there is no such field; it belongs in spec.unhealthyConditions[]",
		strings.Replace(old, "v1beta1", "v1alpha3", 1) + "  maxUnhealthy: 1":                    `apiVersion: there is no version "v1alpha3" of it; there is v1beta1, v1beta2, and sickbay convert writes v1beta2`,
		strings.Replace(old, "v1beta1", "v1alpha4", 1) + "  maxUnhealthy: 1":                    `apiVersion: there is no version "v1alpha4" of it; there is v1beta1, v1beta2, and sickbay convert writes v1beta2`,
		strings.Replace(old, "v1beta1", "v1alpha4", 1) + "  maxUnhealthy: 1\n  maxUnhealthy: 2": `apiVersion: there is no version "v1alpha4" of it; there is v1beta1, v1beta2`,
		strings.Replace(openShift, "v1beta1", "v1", 1) + "  maxUnhealthy: 1":                    `apiVersion: there is no version "v1" of it; there is v1beta1`,
	} {
		found := lint(t, "a.yaml", []byte(text+"\n"), nil).Findings
		if !slices.ContainsFunc(found, func(one Finding) bool {
			said := one.Field + ": " + one.Message
			return said == want || strings.HasSuffix(said, want) || strings.HasSuffix(want, " and") && strings.Contains(said, want)
		}) {
			t.Errorf("found %v\nwant %s", found, want)
		}
		if problem := unconfirmed(text+"\n", found); problem != "" {
			t.Error(problem)
		}
	}
}
