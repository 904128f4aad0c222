package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// plan is a MachineRemediationTemplate's plan with only the required fields.
const plan = `steps: [{name: replace, action: Replace, timeoutSeconds: 3600}]`

const maxInFlight = "spec.template.spec.maxInFlight: Invalid value: must be a number of at least 1, without quotes, or a percentage from 1% to 100%"

const requestOfOurs = "spec.template.spec.steps: Invalid value: a step with the action Request must not name a template of sickbay.dev; the action Reboot takes a RebootRemediationTemplate"

// rule returns a rule of a plan.
func rule(name, expression, startAt string) string {
	return fmt.Sprintf("{name: %q, expression: %q, startAt: %q}", name, expression, startAt)
}

// planRows are about the fields of a plan except its steps.
var planRows = map[string]row{
	"the least":                    {"{}", ""},
	"mode Observe":                 {"mode: Observe", ""},
	"mode Approve":                 {"mode: Approve", ""},
	"mode Act":                     {"mode: Act", ""},
	"another mode":                 {"mode: Panic", `spec.template.spec.mode: Unsupported value: "Panic": supported values: "Observe", "Approve", "Act"`},
	"a plan that stops":            {"steps: [{name: s, action: Reboot, timeoutSeconds: 60, until: PowerOff}]", "spec.template.spec.steps: Invalid value: until is for what somebody asks for without a finding"},
	"a plan until the end":         {"steps: [{name: s, action: Reboot, timeoutSeconds: 60, until: PowerOn}]", `spec.template.spec.steps[0].until: Unsupported value: "PowerOn": supported values: "PowerOff", "Delete"`},
	"one in flight":                {"maxInFlight: 1", ""},
	"many in flight":               {"maxInFlight: 2147483647", ""},
	"1% in flight":                 {"maxInFlight: 1%", ""},
	"9% in flight":                 {"maxInFlight: 9%", ""},
	"99% in flight":                {"maxInFlight: 99%", ""},
	"100% in flight":               {"maxInFlight: 100%", ""},
	"none in flight":               {"maxInFlight: 0", maxInFlight},
	"fewer than none in flight":    {"maxInFlight: -1", maxInFlight},
	"more than can be read":        {"maxInFlight: 2147483648", maxInFlight},
	"0% in flight":                 {"maxInFlight: 0%", maxInFlight},
	"101% in flight":               {"maxInFlight: 101%", maxInFlight},
	"05% in flight":                {"maxInFlight: 05%", maxInFlight},
	"half a percent in flight":     {"maxInFlight: 0.5%", maxInFlight},
	"a number in quotes":           {`maxInFlight: "2"`, maxInFlight},
	"some in flight":               {"maxInFlight: some", maxInFlight},
	"a request of ours":            {"steps: [{name: replace, action: Request, timeoutSeconds: 60, " + ours + "}]", requestOfOurs},
	"a rule":                       {"rules: [" + rule("metal", "machine.controlPlane", "replace") + "]", ""},
	"a rule in capitals":           {"rules: [" + rule("X", "x", "replace") + "]", `spec.template.spec.rules[0].name: Invalid value: "X": spec.template.spec.rules[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`},
	"a rule that leads to no step": {"rules: [" + rule("r", "x", "") + "]", "spec.template.spec.rules: Invalid value: startAt of every rule must be the name of a step"},
	"a rule to another step":       {"rules: [" + rule("a", "x", "replace") + ", " + rule("b", "x", "reboot") + "]", "spec.template.spec.rules: Invalid value: startAt of every rule must be the name of a step"},
	"no rules":                     {"rules: []", ""},
	"two rules of the same name":   {"rules: [" + rule("r", "x", "replace") + ", " + rule("r", "y", "replace") + "]", "spec.template.spec.rules: Invalid value: two rules must not have the same name"},
	"probation 0":                  {"probationSeconds: 0", ""},
	"probation of a day":           {"probationSeconds: 86400", ""},
	"no memory":                    {"relapseWindowSeconds: 0", ""},
	"a memory of a year":           {"relapseWindowSeconds: 31536000", ""},
	"paced by owner":               {"pacing: {domains: [Owner]}", ""},
	"paced by failure domain":      {"pacing: {domains: [FailureDomain]}", ""},
	"paced by both":                {"pacing: {domains: [Owner, FailureDomain]}", ""},
	"paced by the moon":            {"pacing: {domains: [Moon]}", `spec.template.spec.pacing.domains[0]: Unsupported value: "Moon": supported values: "Owner", "FailureDomain"`},
	"paced twice by the same":      {"pacing: {domains: [Owner, Owner]}", `spec.template.spec.pacing.domains[1]: Duplicate value: "Owner"`},
	"a machine":                    {"machineRef: {apiGroup: cluster.x-k8s.io, name: m, uid: u}", `MachineRemediationTemplate in version "v1alpha1" cannot be handled as a MachineRemediationTemplate: strict decoding error: unknown field "spec.template.spec.machineRef"`},
}

// TestPlans: an invalid plan is refused with one sentence that says what to fix.
func TestPlans(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, row := range planRows {
		t.Run(name, func(t *testing.T) {
			spec := "template:\n  spec:\n    " + strings.ReplaceAll(with(t, plan, row.given), "\n", "\n    ")
			check(t, create(t, e.Client, ns, "MachineRemediationTemplate", spec), row.want)
		})
	}
}

// TestPlansCanBeChanged: every field of a plan can be changed, because records have copies.
func TestPlansCanBeChanged(t *testing.T) {
	e := env.Get(t)
	given := unstructuredOf("MachineRemediationTemplate", e.Namespace(t), "plan")
	given.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, plan)}}
	build.Create(t.Context(), t, e.Client, given)
	given.Object["spec"] = map[string]any{"template": map[string]any{"spec": parse(t, "{mode: Observe, maxInFlight: 20%, probationSeconds: 0, steps: [{name: hold, action: Hold}]}")}}
	if err := e.Client.Update(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	if got := given.GetGeneration(); got != 2 {
		t.Errorf("generation is %d, want 2: a record says which one it has a copy of", got)
	}
}
