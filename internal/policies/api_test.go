package policies

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/lint"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// asker sends requests to the real API server, where the policies are in effect, and collects its warnings.
type asker struct {
	client.Client
	namespace string

	mu       sync.Mutex
	warnings []string
}

// HandleWarningHeaderWithContext collects the warnings of policies.
func (a *asker) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, says, ok := strings.Cut(text, "' with binding '"); ok {
		_, says, _ = strings.Cut(says, "': ")
		a.warnings = append(a.warnings, says)
	}
}

// take returns the warnings since the last call.
func (a *asker) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.warnings
	a.warnings = nil
	return taken
}

var applied sync.Once

// ask connects once the policies are in effect.
func ask(t *testing.T) *asker {
	t.Helper()
	e := env.Get(t)
	a := &asker{namespace: e.Namespace(t)}
	config := rest.CopyConfig(e.Config)
	config.WarningHandlerWithContext = a
	var err error
	if a.Client, err = client.New(config, client.Options{Scheme: e.Scheme}); err != nil {
		t.Fatal(err)
	}
	applied.Do(func() { apply(t, e) })
	NewWithT(t).Eventually(func() bool {
		for _, kind := range []string{"MachineHealthCheck", "Cluster"} {
			if denied, _ := a.create(t, kind, "v1beta2", `annotations: {sickbay.dev/hold-until: never}`, specs[kind]); denied == nil {
				return false
			}
		}
		a.take()
		_, warned := a.create(t, "Machine", "v1beta2", `annotations: {sickbay.dev/hold-until: never}`, specs["Machine"])
		_, dangers := a.create(t, "MachineHealthCheck", "v1beta2", "", specs["MachineHealthCheck"])
		return warned != nil && dangers != nil
	}, "1m", "200ms").Should(BeTrue(), "the policies are not at work")
	a.take()
	return a
}

// apply applies the generated files, and makes the API server serve MachineHealthChecks of the previous version, too.
func apply(t *testing.T, e *env.Env) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := e.Client.Get(t.Context(), client.ObjectKey{Name: "machinehealthchecks.cluster.x-k8s.io"}, crd); err != nil {
		t.Fatal(err)
	}
	older := *crd.Spec.Versions[0].DeepCopy()
	older.Name, older.Storage = "v1beta1", false
	older.Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	crd.Spec.Versions = append(crd.Spec.Versions, older)
	if err := e.Client.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		text, err := one.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(text, "---\n") {
			obj := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), &obj.Object); err != nil {
				t.Fatal(err)
			}
			if len(obj.Object) == 0 {
				continue
			}
			if err := e.Client.Create(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// specs are specs without problems, except that the MachineHealthCheck has no limit.
var specs = map[string]string{
	"MachineHealthCheck": "clusterName: c\nselector: {matchLabels: {a: b}}\nchecks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}\n",
	"Machine":            "clusterName: c\nbootstrap: {dataSecretName: s}\ninfrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DevMachine, name: m}\n",
	"Cluster":            "infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DevCluster, name: c}\n",
}

// text returns an object as somebody would write it.
func text(kind, version, metadata, spec string) string {
	indent := func(lines string) string {
		return "  " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n  ") + "\n"
	}
	group := clusterAPI
	if version == openShift {
		group, version = openShift, "v1beta1"
	}
	return fmt.Sprintf("apiVersion: %s/%s\nkind: %s\nmetadata:\n  name: x\n%sspec:\n%s", group, version, kind, indent(metadata+" "), indent(spec))
}

func (a *asker) object(t testing.TB, kind, version, metadata, spec string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text(kind, version, metadata, spec)), &obj.Object); err != nil {
		t.Fatalf("%v:\n%s", err, text(kind, version, metadata, spec))
	}
	obj.SetNamespace(a.namespace)
	obj.SetName("")
	obj.SetGenerateName("x-")
	return obj
}

// create returns the errors and warnings that creating an object would give, sorted.
func (a *asker) create(t testing.TB, kind, version, metadata, spec string) (denied, warned []string) {
	t.Helper()
	err := a.Create(t.Context(), a.object(t, kind, version, metadata, spec), client.DryRunAll)
	return a.said(t, err)
}

func (a *asker) said(t testing.TB, err error) (denied, warned []string) {
	t.Helper()
	warned = a.take()
	slices.Sort(warned)
	if err == nil {
		return nil, warned
	}
	_, says, ok := strings.Cut(err.Error(), "denied request: ")
	if !ok {
		t.Fatalf("refused, and not by a policy: %v", err)
	}
	denied = strings.Split(says, "; ")
	slices.Sort(denied)
	return denied, warned
}

// linted returns lint's errors and warnings, except those about the conditions of Nodes and the fleet.
func linted(t testing.TB, document string) (denied, warned []string) {
	t.Helper()
	documents, bad := manifest.Parse("x.yaml", []byte(document))
	result, err := lint.Check(documents, bad, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range result.Findings {
		says := one.Field + ": " + one.Message
		if one.Level == lint.Error {
			denied = append(denied, says)
		} else {
			warned = append(warned, says)
		}
	}
	slices.Sort(denied)
	slices.Sort(warned)
	return denied, warned
}

const limited = "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}}\n"

// planned names a plan.
const planned = "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}, templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: gold}}\n"

// older is the spec of a MachineHealthCheck of Cluster API's v1beta1 or of OpenShift.
const older = "clusterName: c\nselector: {matchLabels: {a: b}}\nunhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n"

// rows are objects that are accepted, rejected or warned about, with a part of the message.
var rows = []struct {
	name, kind, version, annotations, spec string
	// denied and warned are parts of the expected messages; empty if there are none.
	denied, warned string
	// unlike says why lint warns but the policies do not.
	unlike string
}{
	{name: "all annotations", annotations: `sickbay.dev/dry-run: "true", sickbay.dev/max-in-flight: 20%, sickbay.dev/remediation: reboot, sickbay.dev/pause-on-upgrade: "false",
    sickbay.dev/resumed-at: "2026-01-02T03:04:05Z", sickbay.dev/provisioning-timeout: 30m, sickbay.dev/host-error-timeout: 1h30m, sickbay.dev/hold-until: "2026-01-02T03:04:05+02:00",
    sickbay.dev/hold-reason: "any; text", machine.openshift.io/remediation-strategy: external-baremetal, sickbay.dev/upgrades-handled: "a,b", other.example/x: z`, spec: limited},
	{name: "a typo", annotations: `sickbay.dev/max-in-fligth: "1"`, spec: limited, denied: "no such annotation for a MachineHealthCheck, only sickbay.dev/dry-run"},
	{name: "two typos", annotations: `sickbay.dev/a: "1", sickbay.dev/b: "1"`, spec: limited, denied: "metadata.annotations[sickbay.dev/b]"},
	{name: "of another kind", annotations: `sickbay.dev/allow-quorum-loss: "true"`, spec: limited, denied: "allow-quorum-loss]"},
	{name: "of a part of Sickbay", annotations: `progress.healthcheck.sickbay.dev/x: "1"`, spec: limited},
	{name: "dry-run", annotations: `sickbay.dev/dry-run: "yes"`, spec: limited, denied: `it is "yes": it must be true or false`},
	{name: "max-in-flight of words", annotations: `sickbay.dev/max-in-flight: 'a "lot" of \ them'`, spec: limited, denied: `"a \"lot\" of \\ them"`},
	{name: "max-in-flight of nothing", annotations: `sickbay.dev/max-in-flight: ""`, spec: limited, denied: `it is "":`},
	{name: "max-in-flight of 0", annotations: `sickbay.dev/max-in-flight: "0"`, spec: limited, denied: "at least 1"},
	{name: "max-in-flight of 0%", annotations: `sickbay.dev/max-in-flight: "0%"`, spec: limited, denied: "at least 1"},
	{name: "max-in-flight below 0", annotations: `sickbay.dev/max-in-flight: "-3"`, spec: limited, denied: "at least 1"},
	{name: "a long value", annotations: `sickbay.dev/dry-run: "` + strings.Repeat("perhaps ", 30) + `"`, spec: limited, denied: `..."`},
	{name: "a value of two lines", annotations: `sickbay.dev/dry-run: "a\nb\tc"`, spec: limited, denied: `"a\nb\tc"`},
	{name: "remediation", annotations: "sickbay.dev/remediation: replace", spec: limited, denied: `it must be "reboot"`},
	{name: "remediation in OpenShift's words", annotations: "machine.openshift.io/remediation-strategy: reboot", spec: limited, denied: `it must be "external-baremetal"`},
	{name: "pause-on-upgrade", annotations: `sickbay.dev/pause-on-upgrade: "no"`, spec: limited, denied: `it must be "true" or "false"`},
	{name: "resumed-at", annotations: "sickbay.dev/resumed-at: yesterday", spec: limited, denied: "it must be a time"},
	{name: "a timeout without a unit", annotations: `sickbay.dev/provisioning-timeout: "30"`, spec: limited, denied: "it must be a duration"},
	{name: "a timeout below 0", annotations: `sickbay.dev/host-error-timeout: -5m`, spec: limited, denied: "it must be a duration"},
	{name: "hold-until", annotations: "sickbay.dev/hold-until: tomorrow", spec: limited, denied: `it is "tomorrow": it must be a time`},
	{name: "several at once", annotations: `sickbay.dev/hold-until: tomorrow, sickbay.dev/dry-run: "x"`, spec: limited, denied: "hold-until"},

	{name: "a plan", spec: planned},
	{name: "a plan and dry-run", annotations: `sickbay.dev/dry-run: "false"`, spec: planned},
	{name: "beside a plan", annotations: `sickbay.dev/max-in-flight: "1"`, spec: planned, denied: "beside MachineRemediationTemplate gold"},
	{name: "all beside a plan", annotations: `sickbay.dev/max-in-flight: "x", sickbay.dev/remediation: x, machine.openshift.io/remediation-strategy: x`, spec: planned, denied: "beside"},

	{name: "a range", spec: `remediation: {triggerIf: {unhealthyInRange: "[3-5]"}}`},
	{name: "a range of one", spec: `remediation: {triggerIf: {unhealthyInRange: "[3-3]"}}`},
	{name: "a range the wrong way round", spec: `remediation: {triggerIf: {unhealthyInRange: "[5-3]"}}`, denied: "its first number must not be above its second"},
	{name: "a range of digits", spec: `remediation: {triggerIf: {unhealthyInRange: "[10-9]"}}`, denied: `"[10-9]"`},
	{name: "a range beyond all numbers", spec: `remediation: {triggerIf: {unhealthyInRange: "[1-99999999999]"}}`, denied: "two numbers up to"},
	{name: "a limit of words", spec: `remediation: {triggerIf: {unhealthyLessThanOrEqualTo: most}}`, denied: "it must be a number or a percentage"},
	{name: "a limit in quotes", spec: `remediation: {triggerIf: {unhealthyLessThanOrEqualTo: "3"}}`, denied: "it must be a number or a percentage"},
	{name: "a limit below 0", spec: `remediation: {triggerIf: {unhealthyLessThanOrEqualTo: -1}}`, denied: "it must not be negative"},
	{name: "a limit below 0%", spec: `remediation: {triggerIf: {unhealthyLessThanOrEqualTo: "-1%"}}`, denied: "it must not be negative"},

	{name: "no limit", warned: "there is no limit"},
	{name: "no limit, dry-run", annotations: `sickbay.dev/dry-run: "true"`},
	{name: "no limit, no dry-run", annotations: `sickbay.dev/dry-run: "false"`, warned: "there is no limit"},
	{name: "no limit, but a budget", annotations: `sickbay.dev/max-in-flight: "1"`},
	{name: "no real limit", spec: "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 100%}}", warned: "100% is no limit"},
	{name: "a limit of 0", spec: "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 0}}", warned: "0 means that nothing is ever repaired"},
	{name: "a limit of 0%", spec: "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 0%}}", warned: "0% means"},
	{name: "a range of 0", spec: `remediation: {triggerIf: {unhealthyInRange: "[0-0]"}}`, warned: "[0-0] means"},
	{name: "a range and a limit", spec: `remediation: {triggerIf: {unhealthyInRange: "[1-2]", unhealthyLessThanOrEqualTo: 40%}}`, warned: "takes precedence"},

	{name: "v1beta1", version: "v1beta1", annotations: `sickbay.dev/max-in-flight: "1"`, spec: "maxUnhealthy: 40%"},
	{name: "v1beta1, a typo", version: "v1beta1", annotations: `sickbay.dev/dryrun: "1"`, spec: "maxUnhealthy: 40%", denied: "sickbay.dev/dryrun"},
	{name: "v1beta1, a range the wrong way round", version: "v1beta1", spec: `unhealthyRange: "[5-3]"`, denied: "spec.unhealthyRange: it is"},
	{name: "v1beta1, a limit of words", version: "v1beta1", spec: `maxUnhealthy: most`, denied: "spec.maxUnhealthy: it is"},
	{
		name: "v1beta1, beside a plan", version: "v1beta1", annotations: `sickbay.dev/max-in-flight: "1"`,
		spec: "maxUnhealthy: 40%\nremediationTemplate: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: gold}", denied: "beside MachineRemediationTemplate gold",
	},
	{name: "v1beta1, no limit", version: "v1beta1", warned: "spec.maxUnhealthy: there is no limit"},
	{name: "v1beta1, no real limit", version: "v1beta1", spec: "maxUnhealthy: 100%", warned: "spec.maxUnhealthy: 100% is no limit"},
	{name: "v1beta1, a range beside the default", version: "v1beta1", spec: "maxUnhealthy: 100%\nunhealthyRange: \"[1-2]\"", unlike: "a webhook may have set it"},

	{name: "OpenShift's", version: openShift, annotations: `sickbay.dev/pause-on-upgrade: "false"`, spec: "maxUnhealthy: 40%"},
	{name: "OpenShift's, a typo", version: openShift, annotations: `sickbay.dev/pause-on-upgrades: "false"`, spec: "maxUnhealthy: 40%", denied: "pause-on-upgrades"},
	{name: "OpenShift's, a value", version: openShift, annotations: `sickbay.dev/pause-on-upgrade: never`, spec: "maxUnhealthy: 40%", denied: `it is "never"`},

	{name: "a Cluster", kind: "Cluster", annotations: `sickbay.dev/pause-on-upgrade: "true", sickbay.dev/allow-quorum-loss: "true", sickbay.dev/hold-until: "2026-01-02T03:04:05Z", sickbay.dev/hold-reason: x`},
	{name: "a Cluster, a typo", kind: "Cluster", annotations: `sickbay.dev/max-in-flight: "1"`, denied: "no such annotation for a Cluster"},
	{name: "a Cluster, a hold", kind: "Cluster", annotations: "sickbay.dev/hold-until: 2026-01-02", denied: "it must be a time"},
	{name: "a Cluster, a pause", kind: "Cluster", annotations: `sickbay.dev/pause-on-upgrade: "1"`, denied: `it must be "true" or "false"`},
	{name: "a Cluster, a quorum", kind: "Cluster", annotations: `sickbay.dev/allow-quorum-loss: "yes"`, denied: `it must be "true" or "false"`},
	{name: "a Machine", kind: "Machine", annotations: `sickbay.dev/hold-until: "2026-01-02T03:04:05Z", sickbay.dev/hold-reason: x, sickbay.dev/external-remediation-outcome: x`},
	{name: "a Machine, a typo", kind: "Machine", annotations: `sickbay.dev/hold: "1"`, warned: "no such annotation for a Machine"},
	{name: "a Machine, a hold", kind: "Machine", annotations: "sickbay.dev/hold-until: soon", warned: "it must be a time"},
}

// TestSameSentences: what a policy rejects, or warns about, is what lint finds, with the same messages. If lint finds nothing, neither
// do the policies.
func TestSameSentences(t *testing.T) {
	a := ask(t)
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			kind, version, spec, metadata := orElse(tt.kind, "MachineHealthCheck"), orElse(tt.version, "v1beta2"), "", ""
			switch {
			case kind != "MachineHealthCheck" || version == "v1beta2":
				spec = specs[kind] + tt.spec
			case version == openShift:
				spec = strings.Replace(older, "clusterName: c\n", "", 1) + tt.spec
			default:
				spec = older + tt.spec
			}
			if tt.annotations != "" {
				metadata = "annotations: {" + tt.annotations + "}"
			}
			denied, warned := a.create(t, kind, version, metadata, spec)
			saysDenied, saysWarned := linted(t, text(kind, version, metadata, spec))
			if kind == "Machine" {
				// The policy has one warning for all problems.
				saysDenied, saysWarned = nil, saysDenied
			}
			if denied != nil || version == openShift || tt.unlike != "" {
				// A rejected object gives no warnings, and neither do OpenShift's.
				saysWarned = nil
			}
			if diff := cmp.Diff(saysDenied, denied); diff != "" {
				t.Errorf("refused (-lint +API server):\n%s", diff)
			}
			if diff := cmp.Diff(saysWarned, warned); diff != "" && denied == nil {
				t.Errorf("warned of (-lint +API server):\n%s", diff)
			}
			contains(t, "refused", denied, tt.denied)
			if denied == nil {
				contains(t, "warned of", warned, tt.warned)
			}
		})
	}
}

func contains(t *testing.T, what string, says []string, want string) {
	t.Helper()
	if all := strings.Join(says, "; "); !strings.Contains(all, want) || (want == "") != (all == "") {
		t.Errorf("%s: %q, want %q in it", what, all, want)
	}
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// TestNeverStricter: whatever somebody writes into an annotation, the API server accepts what lint accepts, and rejects the rest with
// lint's message.
func TestNeverStricter(t *testing.T) {
	a := ask(t)
	keys := []string{"dry-run", "max-in-flight", "remediation", "pause-on-upgrade", "resumed-at", "provisioning-timeout", "host-error-timeout", "hold-until", "other"}
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.SampledFrom(keys).Draw(rt, "key")
		value := rapid.OneOf(
			rapid.StringMatching(`[+-]?[0-9]{0,3}[%.]?[0-9]{0,2}(ns|us|µs|ms|s|m|h|d)?([0-9.]{1,3}(s|m|h))?`),
			rapid.StringMatching(`20(24|26)-(0[1-3]|1[0-3])-(0[1-2]|2[89]|3[0-2])[T ]([0-2][0-9]|[0-9]):[0-6][0-9]:[0-6][0-9]([.,][0-9]*)?(Z|[+-][0-2][0-9]:[0-6][0-9]|)`),
			rapid.SampledFrom([]string{"", "true", "True", "TRUE", "tRUE", "1", "0", "f", "reboot", "Reboot", "+0", "-0", "-0s", "-0.0h", ".s", "1.s", ".5h", "+5", "+5%", "007", "1_000", " 1", "1 ", "é", "0x10", "1e3"}),
		).Draw(rt, "value")
		metadata := fmt.Sprintf("annotations: {sickbay.dev/%s: %q}", key, value)
		spec := specs["MachineHealthCheck"] + limited
		denied, _ := a.create(t, "MachineHealthCheck", "v1beta2", metadata, spec)
		says, _ := linted(t, text("MachineHealthCheck", "v1beta2", metadata, spec))
		leapDay := strings.Contains(value, "2026-02-29")
		if denied == nil && leapDay {
			return
		}
		if diff := cmp.Diff(says, denied); diff != "" {
			rt.Fatalf("%s (-lint +API server):\n%s", metadata, diff)
		}
	})
}

// TestWhatWasThereStays: everything else can be changed in an object that was invalid before the policies came.
func TestWhatWasThereStays(t *testing.T) {
	a := ask(t)
	// Sickbay's own writes are not checked, which is how this test creates an invalid object.
	broken := a.object(t, "MachineHealthCheck", "v1beta2", `annotations: {sickbay.dev/typo: a, sickbay.dev/max-in-flight: lots, sickbay.dev/hold-until: never}`,
		specs["MachineHealthCheck"]+`remediation: {triggerIf: {unhealthyInRange: "[5-3]"}, templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: gold}}`)
	if err := a.Create(t.Context(), broken, client.FieldOwner("sickbay-test")); err != nil {
		t.Fatalf("Sickbay's own write is refused: %v", err)
	}
	annotate := func(key, value string) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			annotations := maps.Clone(obj.GetAnnotations())
			annotations[key] = value
			obj.SetAnnotations(annotations)
		}
	}
	set := func(value any, path ...string) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(obj.Object, value, path...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*unstructured.Unstructured)
		denied string
	}{
		"a label":                        {func(obj *unstructured.Unstructured) { obj.SetLabels(map[string]string{"a": "b"}) }, ""},
		"an annotation of others":        {annotate("example.dev/x", "y"), ""},
		"another annotation":             {annotate("sickbay.dev/dry-run", "true"), ""},
		"another field":                  {set(int64(600), "spec", "checks", "nodeStartupTimeoutSeconds"), ""},
		"what was wrong, mended":         {annotate("sickbay.dev/hold-until", "2026-01-02T03:04:05Z"), ""},
		"what was wrong, gone":           {func(obj *unstructured.Unstructured) { obj.SetAnnotations(nil) }, ""},
		"what was wrong, as wrong":       {annotate("sickbay.dev/hold-until", "for ever"), "hold-until"},
		"what was unknown, changed":      {annotate("sickbay.dev/typo", "b"), "sickbay.dev/typo"},
		"one more typo":                  {annotate("sickbay.dev/typos", "b"), "sickbay.dev/typos"},
		"the range, as wrong":            {set("[4-3]", "spec", "remediation", "triggerIf", "unhealthyInRange"), "[4-3]"},
		"the range, mended":              {set("[3-4]", "spec", "remediation", "triggerIf", "unhealthyInRange"), ""},
		"another plan":                   {set("silver", "spec", "remediation", "templateRef", "name"), "beside MachineRemediationTemplate silver"},
		"what is refused beside a plan":  {annotate("sickbay.dev/max-in-flight", "1"), "beside"},
		"another one refused beside one": {annotate("sickbay.dev/remediation", "reboot"), "beside"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := broken.DeepCopy()
			tt.change(changed)
			denied, _ := a.said(t, a.Update(t.Context(), changed, client.DryRunAll))
			contains(t, "refused", denied, tt.denied)
			if len(denied) > 1 {
				t.Errorf("more is refused than was changed: %q", denied)
			}
		})
	}
	t.Run("the status", func(t *testing.T) {
		changed := broken.DeepCopy()
		set(int64(3), "status", "expectedMachines")(changed)
		if err := a.Status().Update(t.Context(), changed, client.FieldOwner("other")); err != nil {
			t.Error(err)
		}
	})
	t.Run("its finalizer, while it is deleted", func(t *testing.T) {
		if err := a.Get(t.Context(), client.ObjectKeyFromObject(broken), broken); err != nil {
			t.Fatal(err)
		}
		broken.SetFinalizers([]string{"example.dev/keep"})
		if err := a.Update(t.Context(), broken); err != nil {
			t.Fatal(err)
		}
		if err := a.Delete(t.Context(), broken); err != nil {
			t.Fatal(err)
		}
		broken.SetFinalizers(nil)
		annotate("sickbay.dev/hold-until", "for ever")(broken)
		if err := a.Get(t.Context(), client.ObjectKeyFromObject(broken), broken); err != nil {
			t.Fatal(err)
		}
		broken.SetFinalizers(nil)
		if err := a.Update(t.Context(), broken); err != nil {
			t.Error(err)
		}
	})
}

// TestCost: checking the longest annotations that an API server accepts stays within its cost limits. A policy that exceeds them fails,
// and then nothing is rejected.
func TestCost(t *testing.T) {
	a := ask(t)
	metadata := "annotations:\n"
	for i := range 300 {
		metadata += fmt.Sprintf("  example.dev/annotation-%d: x\n", i)
	}
	long := strings.Repeat("1", 230_000)
	for _, key := range []string{"max-in-flight", "provisioning-timeout", "hold-until"} {
		t.Run(key, func(t *testing.T) {
			started := time.Now()
			denied, _ := a.create(t, "MachineHealthCheck", "v1beta2", metadata+"  sickbay.dev/dry-run: maybe\n  sickbay.dev/"+key+": \""+long+"\"\n", specs["MachineHealthCheck"]+limited)
			contains(t, "refused", denied, `it is "maybe"`)
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestTypes: the API server reports no type errors in the expressions.
func TestTypes(t *testing.T) {
	a := ask(t)
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		NewWithT(t).Eventually(func(g Gomega) {
			live := one.Policy.DeepCopy()
			g.Expect(a.Get(t.Context(), client.ObjectKeyFromObject(live), live)).To(Succeed())
			if checked := live.Status.TypeChecking; checked != nil {
				g.Expect(checked.ExpressionWarnings).To(BeEmpty())
			}
		}, "20s").Should(Succeed())
	}
}
