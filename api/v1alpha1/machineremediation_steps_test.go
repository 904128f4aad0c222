package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

const (
	ours   = "templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: RebootRemediationTemplate, name: cycle}"
	others = "templateRef: {apiVersion: example.com/v1, kind: ResetTemplate, name: reset}"
)

// of returns a reference to a template that is not Sickbay's.
func of(apiVersion, kind, name string) string {
	return fmt.Sprintf("{name: s, action: Request, timeoutSeconds: 60, templateRef: {apiVersion: %q, kind: %q, name: %q}}", apiVersion, kind, name)
}

// stepRows are about a single step, which errors call STEP.
var stepRows = map[string]row{
	"wait":                          {"{name: s, action: Wait, timeoutSeconds: 60}", ""},
	"request":                       {"{name: s, action: Request, timeoutSeconds: 60, " + others + "}", ""},
	"reboot":                        {"{name: s, action: Reboot, timeoutSeconds: 60}", ""},
	"reboot with settings":          {"{name: s, action: Reboot, timeoutSeconds: 60, " + ours + "}", ""},
	"replace":                       {"{name: s, action: Replace, timeoutSeconds: 60}", ""},
	"replace by the owner":          {"{name: s, action: Replace, timeoutSeconds: 60, by: Owner}", ""},
	"replace by deletion":           {"{name: s, action: Replace, timeoutSeconds: 60, by: Deletion}", ""},
	"replace by nobody":             {"{name: s, action: Replace, timeoutSeconds: 60, by: Nobody}", `STEP.by: Unsupported value: "Nobody": supported values: "Owner", "Deletion"`},
	"replace by an empty word":      {`{name: s, action: Replace, timeoutSeconds: 60, by: ""}`, `STEP.by: Unsupported value: "": supported values: "Owner", "Deletion"`},
	"reboot by deletion":            {"{name: s, action: Reboot, timeoutSeconds: 60, by: Deletion}", "STEP.by: Invalid value: is for the action Replace only"},
	"wait by the owner":             {"{name: s, action: Wait, timeoutSeconds: 60, by: Owner}", "STEP.by: Invalid value: is for the action Replace only"},
	"hold by deletion":              {"{name: s, action: Hold, by: Deletion}", "STEP.by: Invalid value: is for the action Replace only"},
	"hold":                          {"{name: s, action: Hold}", ""},
	"another action":                {"{name: s, action: Pray, timeoutSeconds: 60}", `STEP.action: Unsupported value: "Pray": supported values: "Wait", "Request", "Reboot", "Replace", "Hold"`},
	"a name in capitals":            {"{name: Hold, action: Hold}", `STEP.name: Invalid value: "Hold": STEP.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`},
	"a name that ends in a dash":    {"{name: hold-, action: Hold}", `STEP.name: Invalid value: "hold-": STEP.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`},
	"a request without template":    {"{name: s, action: Request, timeoutSeconds: 60}", "STEP.templateRef: Invalid value: is required for the action Request"},
	"a request of a group like it":  {of("not-sickbay.dev/v1alpha1", "RebootRemediationTemplate", "cycle"), ""},
	"a reboot of others":            {"{name: s, action: Reboot, timeoutSeconds: 60, " + others + "}", "STEP.templateRef: Invalid value: must be a RebootRemediationTemplate of sickbay.dev for the action Reboot"},
	"a reboot of a group like ours": {"{name: s, action: Reboot, timeoutSeconds: 60, templateRef: {apiVersion: sickbay.device/v1, kind: RebootRemediationTemplate, name: cycle}}", "STEP.templateRef: Invalid value: must be a RebootRemediationTemplate of sickbay.dev for the action Reboot"},
	"a reboot from a plan":          {"{name: s, action: Reboot, timeoutSeconds: 60, templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: plan}}", "STEP.templateRef: Invalid value: must be a RebootRemediationTemplate of sickbay.dev for the action Reboot"},
	"a template to wait":            {"{name: s, action: Wait, timeoutSeconds: 60, " + others + "}", "STEP.templateRef: Invalid value: is for the actions Request and Reboot only"},
	"a template to replace":         {"{name: s, action: Replace, timeoutSeconds: 60, " + ours + "}", "STEP.templateRef: Invalid value: is for the actions Request and Reboot only"},
	"a template to hold":            {"{name: s, action: Hold, " + others + "}", "STEP.templateRef: Invalid value: is for the actions Request and Reboot only"},
	"a version without group":       {of("v1", "ResetTemplate", "reset"), "STEP.templateRef.apiVersion: Invalid value: \"v1\": STEP.templateRef.apiVersion in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-z]([-a-z0-9]*[a-z0-9])?$'"},
	"a kind that is no template":    {of("example.com/v1", "Reset", "reset"), "STEP.templateRef.kind: Invalid value: \"Reset\": STEP.templateRef.kind in body should match '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?Template$'"},
	"a template of nothing":         {of("example.com/v1", "Template", "reset"), "STEP.templateRef.kind: Invalid value: \"Template\": STEP.templateRef.kind in body should match '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?Template$'"},
	"a name with a space":           {of("example.com/v1", "ResetTemplate", "re set"), "STEP.templateRef.name: Invalid value: \"re set\": STEP.templateRef.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'"},
	"evidence":                      {"{name: s, action: Request, timeoutSeconds: 60, doneWhen: RequestSucceeded, " + others + "}", ""},
	"a repair by others":            {"{name: s, action: Request, timeoutSeconds: 60, doneWhen: MachineHealthy, " + others + "}", ""},
	"wait until healthy":            {"{name: s, action: Wait, timeoutSeconds: 60, doneWhen: MachineHealthy}", ""},
	"reboot until healthy":          {"{name: s, action: Reboot, timeoutSeconds: 60, doneWhen: MachineHealthy}", ""},
	"replace until healthy":         {"{name: s, action: Replace, timeoutSeconds: 60, doneWhen: MachineHealthy}", ""},
	"hold until healthy":            {"{name: s, action: Hold, doneWhen: MachineHealthy}", ""},
	"a wait for a request":          {"{name: s, action: Wait, timeoutSeconds: 60, doneWhen: RequestSucceeded}", "STEP.doneWhen: Invalid value: may be RequestSucceeded for the action Request only"},
	"a reboot as evidence":          {"{name: s, action: Reboot, timeoutSeconds: 60, doneWhen: RequestSucceeded}", "STEP.doneWhen: Invalid value: may be RequestSucceeded for the action Request only"},
	"a replacement as evidence":     {"{name: s, action: Replace, timeoutSeconds: 60, doneWhen: RequestSucceeded}", "STEP.doneWhen: Invalid value: may be RequestSucceeded for the action Request only"},
	"a hold as evidence":            {"{name: s, action: Hold, doneWhen: RequestSucceeded}", "STEP.doneWhen: Invalid value: may be RequestSucceeded for the action Request only"},
	"done at some time":             {"{name: s, action: Wait, timeoutSeconds: 60, doneWhen: Later}", `STEP.doneWhen: Unsupported value: "Later": supported values: "MachineHealthy", "RequestSucceeded"`},
	"one attempt":                   {"{name: s, action: Reboot, timeoutSeconds: 60, attempts: 1}", ""},
	"ten attempts":                  {"{name: s, action: Reboot, timeoutSeconds: 60, attempts: 10}", ""},
	"a second":                      {"{name: s, action: Wait, timeoutSeconds: 1}", ""},
	"a week":                        {"{name: s, action: Wait, timeoutSeconds: 604800}", ""},
	"a Go duration":                 {"{name: s, action: Wait, timeoutSeconds: 5m}", `STEP.timeoutSeconds: Invalid value: "string": STEP.timeoutSeconds in body must be of type integer: "string"`},
	"a wait without end":            {"{name: s, action: Wait}", "STEP.timeoutSeconds: Invalid value: is required for every action but Hold"},
	"a request without end":         {"{name: s, action: Request, " + others + "}", "STEP.timeoutSeconds: Invalid value: is required for every action but Hold"},
	"a reboot without end":          {"{name: s, action: Reboot}", "STEP.timeoutSeconds: Invalid value: is required for every action but Hold"},
	"a replacement without end":     {"{name: s, action: Replace}", "STEP.timeoutSeconds: Invalid value: is required for every action but Hold"},
	"a hold with an end":            {"{name: s, action: Hold, timeoutSeconds: 60}", "STEP.timeoutSeconds: Invalid value: must not be set for the action Hold, which a person ends"},
	"with approval":                 {"{name: s, action: Replace, timeoutSeconds: 60, approval: Required}", ""},
	"without approval":              {"{name: s, action: Replace, timeoutSeconds: 60, approval: NotRequired}", ""},
	"some approval":                 {"{name: s, action: Replace, timeoutSeconds: 60, approval: Maybe}", `STEP.approval: Unsupported value: "Maybe": supported values: "NotRequired", "Required"`},
}

// stepsRows are about all steps together, which errors call STEPS.
var stepsRows = map[string]row{
	"two of the same name": {"[{name: a, action: Hold}, {name: b, action: Hold}, {name: a, action: Replace, timeoutSeconds: 60}]", "STEPSTWICE"},
}

// twice is how a second step of one name is refused, by where the steps are. Those of a plan are one list, so that an apply replaces them all.
var twice = map[string]string{
	"spec.steps": `[2]: Duplicate value: {"name":"a"}`, "spec.template.spec.steps": ": Invalid value: two steps must not have the same name",
}

// about returns an error of a row for the place where the steps are.
func about(steps, want string) string {
	return strings.NewReplacer("TWICE", twice[steps], "STEPS", steps, "STEP", steps+"[0]").Replace(want)
}

// TestSteps: records and plans check steps the same way.
func TestSteps(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for kind, steps := range map[string]string{"MachineRemediation": "spec.steps", "MachineRemediationTemplate": "spec.template.spec.steps"} {
		try := func(t *testing.T, given, want string) {
			t.Helper()
			spec := with(t, record, "steps: "+given)
			if kind == "MachineRemediationTemplate" {
				spec = "template: {spec: {steps: " + given + "}}"
			}
			check(t, create(t, e.Client, ns, kind, spec), about(steps, want))
		}
		for name, row := range stepRows {
			t.Run(kind+", "+name, func(t *testing.T) { try(t, "["+row.given+"]", row.want) })
		}
		for name, row := range stepsRows {
			t.Run(kind+", "+name, func(t *testing.T) { try(t, row.given, row.want) })
		}
	}
}

// TestRequestsOfOurs: a plan must use the action Reboot, so that the ladder decides what follows. In the built-in
// plan of a MachineHealthCheck that names a RebootRemediationTemplate, the step is a request like any other.
func TestRequestsOfOurs(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	steps := "steps: [{name: s, action: Request, timeoutSeconds: 60, " + ours + "}]"
	check(t, create(t, e.Client, ns, "MachineRemediation", with(t, record, steps)), "")
	check(t, create(t, e.Client, ns, "MachineRemediationTemplate", "template: {spec: {"+steps+"}}"), requestOfOurs)
}
