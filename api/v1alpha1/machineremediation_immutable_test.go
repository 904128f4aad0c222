package v1alpha1_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// fullRecord is a spec with every field set.
const fullRecord = `
clusterName: c
machineRef: {apiGroup: cluster.x-k8s.io, name: machine, uid: u1}
nodeRef: {name: node, uid: u2}
hostRef: {name: host, uid: u3}
healthCheckRef: {name: mhc, uid: u4}
templateRef: {name: plan, uid: u5, generation: 2}
finding: {reason: NodeNotFound, message: Node not found, since: "2026-01-01T00:00:00Z"}
steps:
- {name: wait, action: Wait, timeoutSeconds: 60}
- {name: ticket, action: Request, timeoutSeconds: 60, doneWhen: RequestSucceeded, attempts: 2, approval: Required,
   templateRef: {apiVersion: example.com/v1, kind: TicketTemplate, name: ticket}}
startAt: {step: ticket, reason: a relapse}
probationSeconds: 300
grant: 2
decision: {attempt: 1, answer: Approve, by: somebody, reason: of course}
`

// otherAttempt is the error for a decision about a past or future attempt.
const otherAttempt = "spec.decision.attempt: Invalid value: must be the number in status.attempt: that of the attempt at work or waited for"

const immutable = "spec: Invalid value: spec is immutable except for grant and decision: delete the MachineRemediation to start over"

// changesOfFull are changes of fullRecord.
var changesOfFull = map[string]row{
	"nothing":                      {"{clusterName: c, startAt: {step: ticket}, probationSeconds: 300, grant: 2}", ""},
	"another Cluster":              {"clusterName: d", immutable},
	"another group":                {"{clusterName: null, machineRef: {apiGroup: machine.openshift.io}}", immutable},
	"another machine":              {"machineRef: {name: other}", immutable},
	"a machine of another uid":     {"machineRef: {uid: other}", immutable},
	"another Node":                 {"nodeRef: {name: other}", immutable},
	"a Node of another uid":        {"nodeRef: {uid: other}", immutable},
	"a Node of no uid":             {"nodeRef: {uid: null}", immutable},
	"no Node":                      {"nodeRef: null", immutable},
	"another host":                 {"hostRef: {name: other}", immutable},
	"a host of another uid":        {"hostRef: {uid: other}", immutable},
	"no host":                      {"hostRef: null", immutable},
	"somebody who asked":           {"{healthCheckRef: null, finding: null, requestedBy: {kind: Person, name: ann}, templateRef: null, startAt: null, steps: " + reboots + "}", immutable},
	"another health check":         {"healthCheckRef: {name: other}", immutable},
	"one of another uid":           {"healthCheckRef: {uid: other}", immutable},
	"another template":             {"templateRef: {name: other}", immutable},
	"a template of another uid":    {"templateRef: {uid: other}", immutable},
	"another generation":           {"templateRef: {generation: 3}", immutable},
	"no template":                  {"templateRef: null", immutable},
	"another reason":               {"finding: {reason: Other}", immutable},
	"another message":              {"finding: {message: other}", immutable},
	"no message":                   {"finding: {message: null}", immutable},
	"another time":                 {`finding: {since: "2026-01-02T00:00:00Z"}`, immutable},
	"the same time in other words": {`finding: {since: "2026-01-01T01:00:00+01:00"}`, ""},
	"a step more":                  {"steps: [" + stepWait + ", " + stepTicket + ", {name: hold, action: Hold}]", immutable},
	"a step less":                  {"{startAt: {step: ticket}, steps: [" + stepTicket + "]}", immutable},
	"steps in another order":       {"steps: [" + stepTicket + ", " + stepWait + "]", immutable},
	"another name of a step":       {"steps: [{name: pause, action: Wait, timeoutSeconds: 60}, " + stepTicket + "]", immutable},
	"another action":               {"steps: [{name: wait, action: Replace, timeoutSeconds: 60}, " + stepTicket + "]", immutable},
	"another timeout":              {"steps: [{name: wait, action: Wait, timeoutSeconds: 61}, " + stepTicket + "]", immutable},
	"more attempts":                {"steps: [{name: wait, action: Wait, timeoutSeconds: 60, attempts: 2}, " + stepTicket + "]", immutable},
	"an approval":                  {"steps: [{name: wait, action: Wait, timeoutSeconds: 60, approval: Required}, " + stepTicket + "]", immutable},
	"defaults, spelled out":        {"steps: [{name: wait, action: Wait, timeoutSeconds: 60, attempts: 1, approval: NotRequired, doneWhen: MachineHealthy}, " + stepTicket + "]", ""},
	"no approval any more":         {"steps: [" + stepWait + ", {name: ticket, action: Request, timeoutSeconds: 60, doneWhen: RequestSucceeded, attempts: 2, templateRef: {apiVersion: example.com/v1, kind: TicketTemplate, name: ticket}}]", immutable},
	"another end of a step":        {"steps: [" + stepWait + ", {name: ticket, action: Request, timeoutSeconds: 60, attempts: 2, approval: Required, templateRef: {apiVersion: example.com/v1, kind: TicketTemplate, name: ticket}}]", immutable},
	"another template of a step":   {"steps: [" + stepWait + ", {name: ticket, action: Request, timeoutSeconds: 60, doneWhen: RequestSucceeded, attempts: 2, approval: Required, templateRef: {apiVersion: example.com/v1, kind: TicketTemplate, name: other}}]", immutable},
	"another start":                {"startAt: {step: wait}", immutable},
	"no step to start at":          {"startAt: {step: null}", immutable},
	"another reason to start":      {"startAt: {reason: a rule}", immutable},
	"no start":                     {"startAt: null", immutable},
	"a longer probation":           {"probationSeconds: 301", immutable},
	"no probation":                 {"probationSeconds: 0", immutable},
	"no word about probation":      {"probationSeconds: null", immutable},
	"a grant more":                 {"grant: 3", ""},
	"many grants more":             {"grant: 30", ""},
	"a grant less":                 {"grant: 1", "spec.grant: Invalid value: 1: must not be less than before"},
	"no grant":                     {"grant: 0", "spec.grant: Invalid value: 0: must not be less than before"},
	"no word about grants":         {"grant: null", "spec.grant: Invalid value: 0: must not be less than before"},
	"another decision":             {"decision: {answer: Cancel}", ""},
	"about another attempt":        {"decision: {attempt: 2}", otherAttempt},
	"by somebody else":             {"decision: {by: other}", ""},
	"no decision":                  {"decision: null", ""},
	"a grant and a decision":       {"{grant: 3, decision: {attempt: 1, answer: Retry, step: wait}}", ""},
	"a decision and a probation":   {"{probationSeconds: 0, decision: {attempt: 1, answer: Deny}}", immutable},
}

const (
	stepWait   = "{name: wait, action: Wait, timeoutSeconds: 60}"
	stepTicket = "{name: ticket, action: Request, timeoutSeconds: 60, doneWhen: RequestSucceeded, attempts: 2, approval: Required, templateRef: {apiVersion: example.com/v1, kind: TicketTemplate, name: ticket}}"
)

// changesOfLeast are changes of a record with only the required fields.
var changesOfLeast = map[string]row{
	"a Node":           {"nodeRef: {name: node}", immutable},
	"a host":           {"hostRef: {name: host, uid: u}", immutable},
	"a template":       {"templateRef: {name: plan, uid: u, generation: 1}", immutable},
	"a message":        {"finding: {message: more}", immutable},
	"a start":          {"startAt: {step: replace}", immutable},
	"an empty start":   {"startAt: {}", immutable},
	"a probation":      {"probationSeconds: 300", immutable},
	"no probation":     {"probationSeconds: 0", immutable},
	"the same grant":   {"grant: 0", ""},
	"a grant":          {"grant: 1", ""},
	"a decision":       {"decision: {attempt: 1, answer: Deny}", ""},
	"a wrong decision": {"decision: {attempt: 1, answer: Deny, step: replace}", "spec.decision.step: Invalid value: may be set only with the answer Retry"},
}

// TestRecordsAreImmutable: only the grant may rise, and decisions may change.
func TestRecordsAreImmutable(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	full, least := unstructuredOf("MachineRemediation", ns, "full"), unstructuredOf("MachineRemediation", ns, "least")
	full.Object["spec"], least.Object["spec"] = parse(t, fullRecord), parse(t, record)
	build.Create(t.Context(), t, e.Client, full, least)
	for object, changes := range map[*unstructured.Unstructured]map[string]row{full: changesOfFull, least: changesOfLeast} {
		for name, row := range changes {
			t.Run(object.GetName()+", "+name, func(t *testing.T) {
				check(t, patchSpec(t, e.Client, object, map[string]any{"spec": parse(t, row.given)}), row.want)
			})
		}
	}
	t.Run("a finalizer and labels", func(t *testing.T) {
		check(t, patchSpec(t, e.Client, full, parse(t, `metadata: {labels: {sickbay.dev/open: ""}, finalizers: [sickbay.dev/remediation]}`)), "")
	})
	t.Run("no spec", func(t *testing.T) {
		check(t, patchSpec(t, e.Client, full, map[string]any{"spec": nil}), "spec: Required value")
	})
}

// patchSpec tries a merge patch without storing it.
func patchSpec(t *testing.T, c client.Client, object *unstructured.Unstructured, change map[string]any) error {
	t.Helper()
	patch, err := json.Marshal(change)
	if err != nil {
		t.Fatal(err)
	}
	return c.Patch(t.Context(), object.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
}

// over is the error for a decision about an ended record.
const over = "spec.decision: Invalid value: this MachineRemediation has ended: there is nothing to decide any more"

// laterDecisions are changes of records with a given status.
var laterDecisions = map[string]struct{ status, change, want string }{
	"on the attempt waited for":          {"attempt: 3", "decision: {attempt: 3}", ""},
	"on one that is over":                {"attempt: 3", "decision: {attempt: 2}", otherAttempt},
	"on one to come":                     {"attempt: 3", "decision: {attempt: 4}", otherAttempt},
	"none, what was decided stays":       {"attempt: 3", "grant: 7", ""},
	"none any more":                      {"attempt: 3", "decision: null", ""},
	"after the end":                      {`{attempt: 3, completionTime: "2026-01-01T00:00:00Z"}`, "decision: {attempt: 3}", over},
	"none after the end":                 {`{attempt: 3, completionTime: "2026-01-01T00:00:00Z"}`, "decision: null", ""},
	"none, what was decided outlasts it": {`{attempt: 3, completionTime: "2026-01-01T00:00:00Z"}`, "grant: 7", ""},
}

// TestLaterDecisions: a new or changed decision must be about the current attempt. Old decisions stay.
func TestLaterDecisions(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	object := unstructuredOf("MachineRemediation", ns, "m")
	object.Object["spec"] = parse(t, fullRecord)
	build.Create(t.Context(), t, e.Client, object)
	for name, row := range laterDecisions {
		t.Run(name, func(t *testing.T) {
			object.Object["status"] = parse(t, row.status)
			if err := e.Client.Status().Update(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			check(t, patchSpec(t, e.Client, object, map[string]any{"spec": parse(t, row.change)}), row.want)
		})
	}
}
