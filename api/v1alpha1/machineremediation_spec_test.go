package v1alpha1_test

import (
	"fmt"
	"maps"
	"strings"
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

// long returns a text of a length.
func long(n int) string { return strings.Repeat("x", n) }

// tooLong returns the error for a text that is too long.
func tooLong(field string, limit int) string {
	return fmt.Sprintf("%[1]s: Too long: may not be more than %[2]d bytes", field, limit)
}

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
	"Cluster of no name":                      {`clusterName: ""`, "spec.clusterName: Invalid value: \"\": spec.clusterName in body should be at least 1 chars long"},
	"Cluster of 63":                           {"clusterName: " + long(63), ""},
	"Cluster of 64":                           {"clusterName: " + long(64), tooLong("spec.clusterName", 63)},
	"no machine":                              {"machineRef: null", "spec.machineRef: Required value"},
	"Machine of OpenShift":                    {"{clusterName: null, machineRef: {apiGroup: machine.openshift.io, name: m, uid: u}}", ""},
	"Machine of others":                       {"machineRef: {apiGroup: example.com, name: m, uid: u}", `spec.machineRef.apiGroup: Unsupported value: "example.com": supported values: "cluster.x-k8s.io", "machine.openshift.io"`},
	"Machine without group":                   {"machineRef: {name: m, uid: u}", "spec.machineRef.apiGroup: Required value"},
	"Machine without name":                    {"machineRef: {apiGroup: cluster.x-k8s.io, uid: u}", "spec.machineRef.name: Required value"},
	"Machine of no name":                      {`machineRef: {apiGroup: cluster.x-k8s.io, name: "", uid: u}`, `spec.machineRef.name: Invalid value: "": spec.machineRef.name in body should be at least 1 chars long`},
	"Machine, name of 253":                    {"machineRef: {apiGroup: cluster.x-k8s.io, uid: u, name: " + long(253) + "}", ""},
	"Machine, name of 254":                    {"machineRef: {apiGroup: cluster.x-k8s.io, uid: u, name: " + long(254) + "}", tooLong("spec.machineRef.name", 253)},
	"Machine without uid":                     {"machineRef: {apiGroup: cluster.x-k8s.io, name: m}", "spec.machineRef.uid: Required value"},
	"Machine of no uid":                       {`machineRef: {apiGroup: cluster.x-k8s.io, name: m, uid: ""}`, `spec.machineRef.uid: Invalid value: "": spec.machineRef.uid in body should be at least 1 chars long`},
	"Machine, uid of 63":                      {"machineRef: {apiGroup: cluster.x-k8s.io, name: m, uid: " + long(63) + "}", ""},
	"Machine, uid of 64":                      {"machineRef: {apiGroup: cluster.x-k8s.io, name: m, uid: " + long(64) + "}", tooLong("spec.machineRef.uid", 63)},
	"Node":                                    {"nodeRef: {name: node, uid: u}", ""},
	"Node that could not be read":             {"nodeRef: {name: node}", ""},
	"Node without name":                       {"nodeRef: {uid: u}", "spec.nodeRef.name: Required value"},
	"Node of no name":                         {`nodeRef: {name: ""}`, `spec.nodeRef.name: Invalid value: "": spec.nodeRef.name in body should be at least 1 chars long`},
	"Node, name of 253":                       {"nodeRef: {name: " + long(253) + "}", ""},
	"Node, name of 254":                       {"nodeRef: {name: " + long(254) + "}", tooLong("spec.nodeRef.name", 253)},
	"Node, uid of 63":                         {"nodeRef: {name: node, uid: " + long(63) + "}", ""},
	"Node, uid of 64":                         {"nodeRef: {name: node, uid: " + long(64) + "}", tooLong("spec.nodeRef.uid", 63)},
	"host":                                    {"hostRef: {name: h, uid: u}", ""},
	"host without name":                       {"hostRef: {uid: u}", "spec.hostRef.name: Required value"},
	"host of no name":                         {`hostRef: {name: "", uid: u}`, `spec.hostRef.name: Invalid value: "": spec.hostRef.name in body should be at least 1 chars long`},
	"host, name of 253":                       {"hostRef: {uid: u, name: " + long(253) + "}", ""},
	"host, name of 254":                       {"hostRef: {uid: u, name: " + long(254) + "}", tooLong("spec.hostRef.name", 253)},
	"host without uid":                        {"hostRef: {name: h}", "spec.hostRef.uid: Invalid value: is required"},
	"host of no uid":                          {`hostRef: {name: h, uid: ""}`, "spec.hostRef.uid: Invalid value: is required"},
	"host, uid of 63":                         {"hostRef: {name: h, uid: " + long(63) + "}", ""},
	"host, uid of 64":                         {"hostRef: {name: h, uid: " + long(64) + "}", tooLong("spec.hostRef.uid", 63)},
	"no health check":                         {"healthCheckRef: null", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"health check without name":               {"healthCheckRef: {uid: u}", "spec.healthCheckRef.name: Required value"},
	"health check of no name":                 {`healthCheckRef: {name: "", uid: u}`, `spec.healthCheckRef.name: Invalid value: "": spec.healthCheckRef.name in body should be at least 1 chars long`},
	"health check, name of 253":               {"healthCheckRef: {uid: u, name: " + long(253) + "}", ""},
	"health check, name of 254":               {"healthCheckRef: {uid: u, name: " + long(254) + "}", tooLong("spec.healthCheckRef.name", 253)},
	"health check without uid":                {"healthCheckRef: {name: m}", "spec.healthCheckRef.uid: Invalid value: is required"},
	"health check, uid of 63":                 {"healthCheckRef: {name: m, uid: " + long(63) + "}", ""},
	"health check, uid of 64":                 {"healthCheckRef: {name: m, uid: " + long(64) + "}", tooLong("spec.healthCheckRef.uid", 63)},
	"template":                                {"templateRef: {name: p, uid: u, generation: 1}", ""},
	"template without name":                   {"templateRef: {uid: u, generation: 1}", "spec.templateRef.name: Required value"},
	"template of no name":                     {`templateRef: {name: "", uid: u, generation: 1}`, `spec.templateRef.name: Invalid value: "": spec.templateRef.name in body should be at least 1 chars long`},
	"template, name of 253":                   {"templateRef: {uid: u, generation: 1, name: " + long(253) + "}", ""},
	"template, name of 254":                   {"templateRef: {uid: u, generation: 1, name: " + long(254) + "}", tooLong("spec.templateRef.name", 253)},
	"template without uid":                    {"templateRef: {name: p, generation: 1}", "spec.templateRef.uid: Required value"},
	"template of no uid":                      {`templateRef: {name: p, uid: "", generation: 1}`, `spec.templateRef.uid: Invalid value: "": spec.templateRef.uid in body should be at least 1 chars long`},
	"template, uid of 63":                     {"templateRef: {name: p, generation: 1, uid: " + long(63) + "}", ""},
	"template, uid of 64":                     {"templateRef: {name: p, generation: 1, uid: " + long(64) + "}", tooLong("spec.templateRef.uid", 63)},
	"template without generation":             {"templateRef: {name: p, uid: u}", "spec.templateRef.generation: Required value"},
	"template of generation 0":                {"templateRef: {name: p, uid: u, generation: 0}", "spec.templateRef.generation: Invalid value: 0: spec.templateRef.generation in body should be greater than or equal to 1"},
	"no finding":                              {"finding: null", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"finding with message":                    {`finding: {reason: R, since: "2026-01-01T00:00:00Z", message: ` + long(1024) + "}", ""},
	"finding, message of 1025":                {`finding: {reason: R, since: "2026-01-01T00:00:00Z", message: ` + long(1025) + "}", tooLong("spec.finding.message", 1024)},
	"finding without reason":                  {`finding: {since: "2026-01-01T00:00:00Z"}`, "spec.finding.reason: Required value"},
	"finding of no reason":                    {`finding: {reason: "", since: "2026-01-01T00:00:00Z"}`, `spec.finding.reason: Invalid value: "": spec.finding.reason in body should be at least 1 chars long`},
	"finding, reason of 1024":                 {`finding: {since: "2026-01-01T00:00:00Z", reason: ` + long(1024) + "}", ""},
	"finding, reason of 1025":                 {`finding: {since: "2026-01-01T00:00:00Z", reason: ` + long(1025) + "}", tooLong("spec.finding.reason", 1024)},
	"finding without time":                    {"finding: {reason: R}", "spec.finding.since: Required value"},
	"finding of yesterday":                    {"finding: {reason: R, since: yesterday}", `spec.finding.since: Invalid value: "yesterday": spec.finding.since in body must be of type date-time: "yesterday"`},
	"asked for":                               {askedFor("{kind: Person, name: ann, reason: "+long(1024)+"}", reboots), ""},
	"asked for, and found":                    {"{requestedBy: {kind: Person, name: ann}, steps: " + reboots + "}", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"asked for by nobody":                     {"{finding: null, healthCheckRef: null, steps: " + reboots + "}", "spec: Invalid value: must have finding and healthCheckRef, or else requestedBy"},
	"asked for, to replace":                   {askedFor("{kind: Person, name: ann}", "[{name: r, action: Replace, timeoutSeconds: 60}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, to delete":                    {askedFor("{kind: HealthCheck, name: m, uid: u}", "[{name: r, action: Replace, by: Deletion, timeoutSeconds: 60}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, with approval":                {askedFor("{kind: Person, name: ann}", "[{name: r, action: Reboot, timeoutSeconds: 60, approval: Required}]"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, from a plan":                  {askedFor("{kind: Person, name: ann}", reboots+", templateRef: {name: p, uid: u, generation: 1}"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, from the middle":              {askedFor("{kind: Person, name: ann}", reboots+", startAt: {step: r}"), "spec.steps: Invalid value: without a finding, there may be steps with the action Reboot, and Replace for a health check, without by, approval, templateRef and startAt"},
	"asked for, no kind":                      {askedFor("{name: ann}", reboots), "spec.requestedBy.kind: Required value"},
	"asked for by another kind":               {askedFor("{kind: Robot, name: ann}", reboots), `spec.requestedBy.kind: Unsupported value: "Robot": supported values: "Person", "Annotation", "HealthCheck", "Request"`},
	"asked for by a health check, to replace": {askedFor("{kind: HealthCheck, name: m, uid: u}", "[{name: r, action: Replace, timeoutSeconds: 60}]"), ""},
	"asked for, until the end":                {askedFor("{kind: Annotation, name: a}", "[{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOn}]"), `spec.steps[0].until: Unsupported value: "PowerOn": supported values: "PowerOff", "Delete"`},
	"asked for, the host off":                 {askedFor("{kind: Annotation, name: a}", "[{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOff}]"), ""},
	"the host off, with a finding":            {"{steps: [{name: r, action: Reboot, timeoutSeconds: 60, until: PowerOff}]}", "spec.steps: Invalid value: until is for what somebody asks for without a finding"},
	"asked for, uid of 64":                    {askedFor("{kind: Request, name: r, uid: "+long(64)+"}", reboots), tooLong("spec.requestedBy.uid", 63)},
	"a Machine of OpenShift in a Cluster":     {"{machineRef: {apiGroup: machine.openshift.io, name: m, uid: u}}", "spec.clusterName: Invalid value: is required for a Machine of Cluster API, and must be absent for one of OpenShift"},
	"asked for, no name":                      {askedFor("{kind: Person}", reboots), "spec.requestedBy.name: Required value"},
	"asked for by no name":                    {askedFor(`{kind: Person, name: ""}`, reboots), `spec.requestedBy.name: Invalid value: "": spec.requestedBy.name in body should be at least 1 chars long`},
	"asked for, name of 253":                  {askedFor("{kind: Person, name: "+long(253)+"}", reboots), ""},
	"asked for, name of 254":                  {askedFor("{kind: Person, name: "+long(254)+"}", reboots), tooLong("spec.requestedBy.name", 253)},
	"asked for, reason of 1025":               {askedFor("{kind: Person, name: ann, reason: "+long(1025)+"}", reboots), tooLong("spec.requestedBy.reason", 1024)},
	"start at a step":                         {"startAt: {step: replace, reason: rule metal}", ""},
	"start at no step":                        {`startAt: {step: "", reason: all were tried}`, ""},
	"start at no step, unsaid":                {"startAt: {reason: all were tried}", ""},
	"start at another step":                   {"startAt: {step: reboot}", "spec.startAt.step: Invalid value: must be the name of a step, or empty"},
	"start at a step of 64":                   {"startAt: {step: " + long(64) + "}", tooLong("spec.startAt.step", 63)},
	"start, reason of 1024":                   {"startAt: {reason: " + long(1024) + "}", ""},
	"start, reason of 1025":                   {"startAt: {reason: " + long(1025) + "}", tooLong("spec.startAt.reason", 1024)},
	"probation 0":                             {"probationSeconds: 0", ""},
	"probation of a day":                      {"probationSeconds: 86400", ""},
	"probation -1":                            {"probationSeconds: -1", "spec.probationSeconds: Invalid value: -1: spec.probationSeconds in body should be greater than or equal to 0"},
	"probation of more than a day":            {"probationSeconds: 86401", "spec.probationSeconds: Invalid value: 86401: spec.probationSeconds in body should be less than or equal to 86400"},
	"grant 0":                                 {"grant: 0", ""},
	"grant 1":                                 {"grant: 1", ""},
	"grant -1":                                {"grant: -1", "spec.grant: Invalid value: -1: spec.grant in body should be greater than or equal to 0"},
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
	"no attempt":               {"{answer: Approve}", "spec.decision.attempt: Required value"},
	"attempt 0":                {"{attempt: 0, answer: Approve}", "spec.decision.attempt: Invalid value: 0: spec.decision.attempt in body should be greater than or equal to 1"},
	"attempt too far":          {"{attempt: 2147483648, answer: Approve}", `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.decision.attempt`},
	"no answer":                {"{attempt: 1}", "spec.decision.answer: Required value"},
	"another answer":           {"{attempt: 1, answer: Maybe}", "spec.decision.answer: Invalid value: must be Approve, Deny, Retry or Cancel"},
	"an empty answer":          {`{attempt: 1, answer: ""}`, "spec.decision.answer: Invalid value: must be Approve, Deny, Retry or Cancel"},
	"an answer of 64":          {"{attempt: 1, answer: " + long(64) + "}", tooLong("spec.decision.answer", 63)},
	"a step that is not there": {"{attempt: 1, answer: Retry, step: reboot}", "spec.decision.step: Invalid value: must be the name of a step"},
	"a step of 64":             {"{attempt: 1, answer: Retry, step: " + long(64) + "}", tooLong("spec.decision.step", 63)},
	"a step to approve":        {"{attempt: 1, answer: Approve, step: replace}", "spec.decision.step: Invalid value: may be set only with the answer Retry"},
	"a step to cancel":         {"{attempt: 1, answer: Cancel, step: replace}", "spec.decision.step: Invalid value: may be set only with the answer Retry"},
	"by 253":                   {"{attempt: 1, answer: Deny, by: " + long(253) + "}", ""},
	"by 254":                   {"{attempt: 1, answer: Deny, by: " + long(254) + "}", tooLong("spec.decision.by", 253)},
	"reason of 1024":           {"{attempt: 1, answer: Deny, reason: " + long(1024) + "}", ""},
	"reason of 1025":           {"{attempt: 1, answer: Deny, reason: " + long(1025) + "}", tooLong("spec.decision.reason", 1024)},
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
