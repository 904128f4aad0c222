package lint

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// has returns a fleet that has some kinds, and two machines.
func has(kinds ...schema.GroupVersionKind) *Fleet {
	var versions []schema.GroupVersion
	for _, kind := range kinds {
		versions = append(versions, kind.GroupVersion())
	}
	mapper := meta.NewDefaultRESTMapper(versions)
	for _, kind := range kinds {
		mapper.Add(kind, meta.RESTScopeNamespace)
	}
	f := fleet(map[string]int{"workers": 2})
	f.Kinds = mapper
	return f
}

var (
	rebootKind    = v1alpha1.GroupVersion.WithKind("RebootRemediation")
	resetKind     = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Reset"}
	resetTemplate = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "ResetTemplate"}
)

const planOfOne = `apiVersion: sickbay.dev/v1alpha1
kind: MachineRemediationTemplate
metadata:
  name: plan
  namespace: default
spec:
  template:
    spec:
      steps:
      - name: first
        action: %s
        timeoutSeconds: 600
`

const resets = "Request\n        templateRef: {apiVersion: example.com/v1, kind: ResetTemplate, name: reset}"

// TestInstalled: a plan needs the kinds of its requests, and Metal3's for power cycles. A finding says which are missing, and what helps.
func TestInstalled(t *testing.T) {
	for name, tt := range map[string]struct {
		action string
		fleet  *Fleet
		want   string
	}{
		"a request":         {resets, has(resetTemplate, resetKind), ""},
		"without its kinds": {resets, has(), "step first needs ResetTemplate and Reset of example.com/v1, which are not installed: install what provides them, or correct templateRef; until then it is retried for ever"},
		"without its kind":  {resets, has(resetTemplate), "step first needs Reset of example.com/v1, which is not installed: install what provides it, or correct templateRef; until then it is retried for ever"},
		"in another version": {
			resets, has(resetTemplate.GroupKind().WithVersion("v2"), resetKind.GroupKind().WithVersion("v2")),
			"step first needs ResetTemplate and Reset of example.com/v1, which are not installed: the management cluster has v2; until then it is retried for ever",
		},
		"a reboot":        {"Reboot", has(rebootKind, reboot.HostKind), ""},
		"without Metal3":  {"Reboot", has(rebootKind), "step first needs BareMetalHost of metal3.io/v1alpha1, which is not installed: install Metal3's baremetal-operator, or repair in another way; until then it is retried for ever"},
		"without Sickbay": {"Reboot", has(reboot.HostKind), "step first needs RebootRemediation of sickbay.dev/v1alpha1, which is not installed: sickbay crds | kubectl apply -f - installs it; until then it is retried for ever"},
		"a replacement":   {"Replace", has(), ""},
		"no such look":    {"Reboot", fleet(nil), ""},
	} {
		t.Run(name, func(t *testing.T) {
			onlyWarning(t, lint(t, "plan.yaml", fmt.Appendf(nil, planOfOne, tt.action), tt.fleet), tt.want)
		})
	}
}

// onlyWarning fails unless there is this warning and no other finding; none if it is empty.
func onlyWarning(t *testing.T, r Result, want string) {
	t.Helper()
	if want == "" && len(r.Findings) == 0 {
		return
	}
	if len(r.Findings) != 1 || r.Findings[0].Message != want || r.Findings[0].Level != Warning {
		t.Errorf("found %v, want %q", r.Findings, want)
	}
}

// TestInstalledForCheck: a MachineHealthCheck without a plan needs the kinds of its template, or those of power cycles; one with a plan of the
// cluster needs what that plan needs.
func TestInstalledForCheck(t *testing.T) {
	const limit = "unhealthyLessThanOrEqualTo: 1"
	template := func(ref string) string {
		return strings.Replace(fmt.Sprintf(one, limit), "remediation: {", "remediation: {templateRef: {"+ref+"}, ", 1)
	}
	annotated := func(annotation string) string {
		return strings.Replace(fmt.Sprintf(one, limit), "  name: blue\n", "  name: blue\n  annotations: {"+annotation+"}\n", 1)
	}
	planned := has(rebootKind)
	planned.Plans = []v1alpha1.MachineRemediationTemplate{{}}
	planned.Plans[0].Namespace, planned.Plans[0].Name = "default", "plan"
	planned.Plans[0].Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{{Name: "cycle", Action: v1alpha1.ActionReboot}}
	const noHosts = "BareMetalHost of metal3.io/v1alpha1, which is not installed: install Metal3's baremetal-operator, or repair in another way; until then it is retried for ever"
	for name, tt := range map[string]struct {
		text        string
		fleet       *Fleet
		field, want string
	}{
		"nothing asked for": {fmt.Sprintf(one, limit), has(), "", ""},
		"a template": {
			template("apiVersion: example.com/v1, kind: ResetTemplate, name: reset"), has(), fieldTemplate,
			"step request needs ResetTemplate and Reset of example.com/v1, which are not installed: install what provides them, or correct templateRef; until then it is retried for ever",
		},
		"a power cycle":       {annotated("sickbay.dev/remediation: reboot"), has(rebootKind), "metadata.annotations[sickbay.dev/remediation]", "step reboot needs " + noHosts},
		"OpenShift's":         {annotated("machine.openshift.io/remediation-strategy: external-baremetal"), has(rebootKind), "metadata.annotations[machine.openshift.io/remediation-strategy]", "step reboot needs " + noHosts},
		"by a template":       {template("apiVersion: sickbay.dev/v1alpha1, kind: RebootRemediationTemplate, name: cycle"), has(rebootKind, rebootKind.GroupVersion().WithKind("RebootRemediationTemplate")), fieldTemplate, "step reboot needs " + noHosts},
		"a plan in the fleet": {template("apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: plan"), planned, fieldTemplate, "step cycle needs " + noHosts},
		"a plan in the file": {
			template("apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: plan") + "---\n" + fmt.Sprintf(planOfOne, "Reboot"), planned, "spec.template.spec.steps[0].action",
			"step first needs " + noHosts,
		},
		"only a dry-run": {annotated("sickbay.dev/remediation: reboot, sickbay.dev/dry-run: 'true'"), has(), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := lint(t, "mhc.yaml", []byte(tt.text), tt.fleet)
			onlyWarning(t, r, tt.want)
			if tt.want != "" && len(r.Findings) == 1 && r.Findings[0].Field != tt.field {
				t.Errorf("found it in %s, want %s", r.Findings[0].Field, tt.field)
			}
		})
	}
}
