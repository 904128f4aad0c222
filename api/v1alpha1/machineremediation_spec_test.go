package v1alpha1_test

import (
	"maps"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// record is a MachineRemediation's spec with only the required fields.
const record = `
clusterName: c
machineRef: {apiGroup: cluster.x-k8s.io, name: machine, uid: u1}
healthCheckRef: {name: mhc, uid: u2}
finding: {reason: NodeNotFound, since: "2026-01-01T00:00:00Z"}
steps:
- {name: replace, action: Replace, timeoutSeconds: 3600}
`

// with returns a spec with some fields replaced; null removes one.
func with(t *testing.T, spec, change string) string {
	t.Helper()
	parsed := parse(t, spec)
	maps.Copy(parsed, parse(t, change))
	maps.DeleteFunc(parsed, func(_ string, value any) bool { return value == nil })
	text, err := yaml.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	parsed := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	return parsed
}

// row is a part of a spec, and the one error with which it is refused; empty if it is accepted.
type row struct{ given, want string }

// reboots are steps that a person may ask for.
const reboots = "[{name: r, action: Reboot, timeoutSeconds: 60}]"

// askedFor is a change to what somebody asked for without a finding.
func askedFor(by, steps string) string {
	return "{finding: null, healthCheckRef: null, requestedBy: " + by + ", steps: " + steps + "}"
}

// recordRows are about the fields of a MachineRemediation except its steps.
var recordRows = map[string]row{
	"the least":                               {"{}", ""},
	"no Cluster":                              {"clusterName: null", "spec.clusterName: Invalid value: is required for a Machine of Cluster API, and must be absent for one of OpenShift"},
	"Machine of OpenShift":                    {"{clusterName: null, machineRef: {apiGroup: machine.openshift.io, name: m, uid: u}}", ""},
	"Machine of others":                       {"machineRef: {apiGroup: example.com, name: m, uid: u}", `spec.machineRef.apiGroup: Unsupported value: "example.com": supported values: "cluster.x-k8s.io", "machine.openshift.io"`},
	"Node":                                    {"nodeRef: {name: node, uid: u}", ""},
	"Node that could not be read":             {"nodeRef: {name: node}", ""},
	"host":                                    {"hostRef: {name: h, uid: u}", ""},
	"host without uid":                        {"hostRef: {name: h}", "spec.hostRef.uid: Invalid value: is required"},
	"host of no uid":                          {`hostRef: {name: h, uid: ""}`, "spec.hostRef.uid: Invalid value: is required"},
	"no health check":                         {"healthCheckRef: null", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"health check without uid":                {"healthCheckRef: {name: m}", "spec.healthCheckRef.uid: Invalid value: is required"},
	"template":                                {"templateRef: {name: p, uid: u, generation: 1}", ""},
	"no finding":                              {"finding: null", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"finding of yesterday":                    {"finding: {reason: R, since: yesterday}", `spec.finding.since: Invalid value: "yesterday": spec.finding.since in body must be of type date-time: "yesterday"`},
	"asked for":                               {askedFor("{kind: Person, name: ann, reason: the fan}", reboots), ""},
	"asked for, and found":                    {"{requestedBy: {kind: Person, name: ann}, steps: " + reboots + "}", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"asked for by nobody":                     {"{finding: null, healthCheckRef: null, steps: " + reboots + "}", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"asked for, to replace":                   {askedFor("{kind: Person, name: ann}", "[{name: r, action: Replace, timeoutSeconds: 60}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, to delete":                    {askedFor("{kind: HealthCheck, name: m, uid: u}", "[{name: r, action: Replace, by: Deletion, timeoutSeconds: 60}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, with approval":                {askedFor("{kind: Person, name: ann}", "[{name: r, action: Reboot, timeoutSeconds: 60, approval: Required}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, from a plan":                  {askedFor("{kind: Person, name: ann}", reboots+", templateRef: {name: p, uid: u, generation: 1}"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, from the middle":              {askedFor("{kind: Person, name: ann}", reboots+", startAt: {step: r}"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for by another kind":               {askedFor("{kind: Robot, name: ann}", reboots), `spec.requestedBy.kind: Unsupported value: "Robot": supported values: "Person", "Annotation", "HealthCheck", "Request"`},
	"asked for by a health check, to replace": {askedFor("{kind: HealthCheck, name: m, uid: u}", "[{name: r, action: Replace, timeoutSeconds: 60}]"), ""},
	"asked for, until the end":                {askedFor("{kind: Annotation, name: a}", "[{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOn}]"), `spec.steps[0].until: Unsupported value: "PowerOn": supported values: "PowerOff", "Delete"`},
	"asked for, the host off":                 {askedFor("{kind: Annotation, name: a}", "[{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOff}]"), ""},
	"the host off, with a finding":            {"{steps: [{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOff}]}", "spec.steps: Invalid value: until is for what somebody asks for without a finding"},
	"a Machine of OpenShift in a Cluster":     {"{machineRef: {apiGroup: machine.openshift.io, name: m, uid: u}}", "spec.clusterName: Invalid value: is required for a Machine of Cluster API, and must be absent for one of OpenShift"},
	"start at a step":                         {"startAt: {step: replace, reason: rule metal}", ""},
	"start at no step":                        {`startAt: {step: "", reason: all were tried}`, ""},
	"start at no step, unsaid":                {"startAt: {reason: all were tried}", ""},
	"start at another step":                   {"startAt: {step: reboot}", "spec.startAt.step: Invalid value: must be the name of a step, or empty"},
	"probation 0":                             {"probationSeconds: 0", ""},
	"probation of a day":                      {"probationSeconds: 86400", ""},
	"grant 0":                                 {"grant: 0", ""},
	"grant 1":                                 {"grant: 1", ""},
	"grant beyond what can be stored":         {"grant: 2147483648", `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.grant`},
	"a word that is not known":                {"maxInFlight: 3", `MachineRemediation in version "v1alpha1" cannot be handled as a MachineRemediation: strict decoding error: unknown field "spec.maxInFlight"`},
}

// decisionRows are about decisions.
var decisionRows = map[string]row{
	"approve":                  {"{attempt: 1, answer: Approve}", ""},
	"deny":                     {"{attempt: 2, answer: Deny, by: somebody, reason: not now}", ""},
	"retry":                    {"{attempt: 3, answer: Retry}", ""},
	"retry at a step":          {"{attempt: 3, answer: Retry, step: replace}", ""},
	"retry at no step":         {`{attempt: 3, answer: Retry, step: ""}`, ""},
	"cancel":                   {"{attempt: 4, answer: Cancel}", ""},
	"attempt too far":          {"{attempt: 2147483648, answer: Approve}", `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.decision.attempt`},
	"another answer":           {"{attempt: 1, answer: Maybe}", "spec.decision.answer: Invalid value: must be Approve, Deny, Retry or Cancel"},
	"an empty answer":          {`{attempt: 1, answer: ""}`, "spec.decision.answer: Invalid value: must be Approve, Deny, Retry or Cancel"},
	"a step that is not there": {"{attempt: 1, answer: Retry, step: reboot}", "spec.decision.step: Invalid value: must be the name of a step"},
	"a step to approve":        {"{attempt: 1, answer: Approve, step: replace}", "spec.decision.step: Invalid value: may be set only with the answer Retry"},
	"a step to cancel":         {"{attempt: 1, answer: Cancel, step: replace}", "spec.decision.step: Invalid value: may be set only with the answer Retry"},
}

// TestMachineRemediations: an invalid object is refused with one sentence that says what to fix.
func TestMachineRemediations(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, row := range recordRows {
		t.Run(name, func(t *testing.T) {
			check(t, create(t, e.Client, ns, "MachineRemediation", with(t, record, row.given)), row.want)
		})
	}
	for name, row := range decisionRows {
		t.Run("decision, "+name, func(t *testing.T) {
			check(t, create(t, e.Client, ns, "MachineRemediation", with(t, record, "decision: "+row.given)), row.want)
		})
	}
}
