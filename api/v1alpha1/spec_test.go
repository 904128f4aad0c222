package v1alpha1_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestSpecs: an invalid spec is refused with one sentence that says what to fix.
func TestSpecs(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, tt := range map[string]struct{ spec, want string }{
		"retryLimit 0":                {"retryLimit: 0", ""},
		"retryLimit 10":               {"retryLimit: 10", ""},
		"retryLimit many":             {"retryLimit: many", `spec.retryLimit: Invalid value: "string": spec.retryLimit in body must be of type integer: "string"`},
		"powerOffTimeoutSeconds 1":    {"powerOffTimeoutSeconds: 1", ""},
		"powerOnTimeoutSeconds 1":     {"powerOnTimeoutSeconds: 1", ""},
		"nodeTimeoutSeconds 1":        {"nodeTimeoutSeconds: 1", ""},
		"timeouts of a day":           {"{powerOffTimeoutSeconds: 86400, powerOnTimeoutSeconds: 86400, nodeTimeoutSeconds: 86400}", ""},
		"a Go duration":               {"nodeTimeoutSeconds: 20m", `spec.nodeTimeoutSeconds: Invalid value: "string": spec.nodeTimeoutSeconds in body must be of type integer: "string"`},
		"isolation DeleteNode":        {"isolation: DeleteNode", ""},
		"isolation OutOfServiceTaint": {"isolation: OutOfServiceTaint", ""},
		"isolation Prayer":            {"isolation: Prayer", `spec.isolation: Unsupported value: "Prayer": supported values: "DeleteNode", "OutOfServiceTaint"`},
		"isolation, empty":            {`isolation: ""`, `spec.isolation: Unsupported value: "": supported values: "DeleteNode", "OutOfServiceTaint"`},
		"until it is off":             {"until: PowerOff", ""},
		"until the Node is gone":      {"until: Delete", ""},
		"until it is on":              {"until: PowerOn", `spec.until: Unsupported value: "PowerOn": supported values: "PowerOff", "Delete"`},
		"until, empty":                {`until: ""`, `spec.until: Unsupported value: "": supported values: "PowerOff", "Delete"`},
		"Machine of Cluster API":      {"machine: {apiGroup: cluster.x-k8s.io, name: m}", ""},
		"Machine of OpenShift":        {"machine: {apiGroup: machine.openshift.io, name: m}", ""},
		"Machine of others":           {"machine: {apiGroup: example.com, name: m}", `spec.machine.apiGroup: Unsupported value: "example.com": supported values: "cluster.x-k8s.io", "machine.openshift.io"`},
		"Machine of no name":          {`{machine: {apiGroup: cluster.x-k8s.io, name: ""}, requestedBy: {kind: Person}}`, `spec.machine.name: Invalid value: "": spec.machine.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'`},
		"Machine with a namespace":    {"{machine: {apiGroup: cluster.x-k8s.io, name: fleet/m}, requestedBy: {kind: Person}}", `spec.machine.name: Invalid value: "fleet/m": spec.machine.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'`},
		"Machine of another name":     {"machine: {apiGroup: cluster.x-k8s.io, name: other}", "spec.machine.name: Invalid value: must be the name of the RebootRemediation, unless spec.requestedBy is set"},
		"requested by a person":       {"requestedBy: {kind: Person, name: alice}", ""},
		"requested by a health check": {"requestedBy: {kind: HealthCheck}", ""},
		"requested by a record":       {"{machine: {apiGroup: cluster.x-k8s.io, name: other}, requestedBy: {kind: Record, name: r, uid: u, operationID: u/1}}", ""},
		"requested by others":         {"requestedBy: {kind: Prayer}", `spec.requestedBy.kind: Unsupported value: "Prayer": supported values: "Person", "HealthCheck", "Record"`},
		"a record without a name":     {"{machine: {apiGroup: cluster.x-k8s.io, name: m}, requestedBy: {kind: Record, operationID: u/1}}", "spec.requestedBy.name: Required value: is required for a record"},
		"a record without operation":  {"{machine: {apiGroup: cluster.x-k8s.io, name: m}, requestedBy: {kind: Record, name: r}}", "spec.requestedBy.operationID: Required value: is required for a record"},
		"a record without a Machine":  {"requestedBy: {kind: Record, name: r, operationID: u/1}", "spec.machine: Required value: is required for a record"},
		"an operation of a person":    {"requestedBy: {kind: Person, operationID: u/1}", "spec.requestedBy.operationID: Invalid value: is for a record only"},
		"an operation of others":      {"requestedBy: {kind: HealthCheck, operationID: u/1}", "spec.requestedBy.operationID: Invalid value: is for a record only"},
		"another Machine, a person":   {"{machine: {apiGroup: cluster.x-k8s.io, name: other}, requestedBy: {kind: Person}}", ""},
		"another, for a health check": {"{machine: {apiGroup: cluster.x-k8s.io, name: other}, requestedBy: {kind: HealthCheck}}", ""},
		"a word that is not known":    {"retries: 3", `RebootRemediation in version "v1alpha1" cannot be handled as a RebootRemediation: strict decoding error: unknown field "spec.retries"`},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, create(t, e.Client, ns, "RebootRemediation", tt.spec), tt.want)
		})
	}
}

// create tries a spec on an object named m without storing it.
func create(t *testing.T, c client.Client, ns, kind, spec string) error {
	t.Helper()
	given := unstructuredOf(kind, ns, "m")
	var parsed map[string]any
	if err := yaml.Unmarshal([]byte(spec), &parsed); err != nil {
		t.Fatal(err)
	}
	given.Object["spec"] = parsed
	return client.WithFieldValidation(c, metav1.FieldValidationStrict).Create(t.Context(), given, client.DryRunAll)
}

// check asserts that an error has exactly the wanted cause, or that there is no error if none is wanted.
func check(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if diff := cmp.Diff([]string{want}, causes(err)); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

// causes returns the causes of an error, without the API server's remark that it skipped rules because of other errors.
func causes(err error) []string {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) {
		return nil
	}
	if status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []string{err.Error()}
	}
	var sentences []string
	for _, cause := range status.Status().Details.Causes {
		if !strings.Contains(cause.Message, "some validation rules were not checked") {
			sentences = append(sentences, cause.Field+": "+cause.Message)
		}
	}
	return sentences
}

// TestSpecIsImmutable: no change to the spec of a cycle is accepted.
func TestSpecIsImmutable(t *testing.T) {
	const immutable = "spec: Invalid value: spec is immutable: delete the RebootRemediation and create another"
	e := env.Get(t)
	ns := e.Namespace(t)
	bare, full := remediation(ns, "bare", v1alpha1.RebootSettings{}), remediation(ns, "full", v1alpha1.RebootSettings{RetryLimit: new(int32(3))})
	full.Spec.Machine = &v1alpha1.MachineReference{APIGroup: "machine.openshift.io", Name: "full"}
	full.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "alice"}
	build.Create(t.Context(), t, e.Client, bare, full)
	for name, tt := range map[string]struct {
		object *v1alpha1.RebootRemediation
		patch  map[string]any
		want   string
	}{
		"a setting":                   {bare, map[string]any{"spec": map[string]any{"retryLimit": 2}}, immutable},
		"a setting, back to default":  {full, map[string]any{"spec": map[string]any{"retryLimit": nil}}, immutable},
		"another isolation":           {bare, map[string]any{"spec": map[string]any{"isolation": "OutOfServiceTaint"}}, immutable},
		"another end":                 {bare, map[string]any{"spec": map[string]any{"until": "PowerOff"}}, immutable},
		"a Machine":                   {bare, map[string]any{"spec": map[string]any{"machine": map[string]any{"apiGroup": "cluster.x-k8s.io", "name": "bare"}}}, immutable},
		"no Machine":                  {full, map[string]any{"spec": map[string]any{"machine": nil}}, immutable},
		"a Machine of another group":  {full, map[string]any{"spec": map[string]any{"machine": map[string]any{"apiGroup": "cluster.x-k8s.io"}}}, immutable},
		"a requester":                 {bare, map[string]any{"spec": map[string]any{"requestedBy": map[string]any{"kind": "Person"}}}, immutable},
		"no requester":                {full, map[string]any{"spec": map[string]any{"requestedBy": nil}}, immutable},
		"another requester":           {full, map[string]any{"spec": map[string]any{"requestedBy": map[string]any{"name": "bob"}}}, immutable},
		"a requester's UID":           {full, map[string]any{"spec": map[string]any{"requestedBy": map[string]any{"uid": "u"}}}, immutable},
		"no spec":                     {full, map[string]any{"spec": nil}, immutable},
		"the same":                    {full, map[string]any{"spec": map[string]any{"retryLimit": 3}}, ""},
		"no spec where it is default": {bare, map[string]any{"spec": nil}, ""},
		"a label":                     {bare, map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}, ""},
		"a finalizer":                 {bare, map[string]any{"metadata": map[string]any{"finalizers": []string{"sickbay.dev/x"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			patch, err := json.Marshal(tt.patch)
			if err != nil {
				t.Fatal(err)
			}
			check(t, e.Client.Patch(t.Context(), tt.object.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.DryRunAll), tt.want)
		})
	}
}

// TestTemplatesAreChecked: templates are checked like the objects that are created from them.
func TestTemplatesAreChecked(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, tt := range map[string]struct{ settings, want string }{
		"retries":       {"retryLimit: 3", ""},
		"taint":         {"isolation: OutOfServiceTaint", ""},
		"no isolation":  {"isolation: Prayer", `spec.template.spec.isolation: Unsupported value: "Prayer": supported values: "DeleteNode", "OutOfServiceTaint"`},
		"for somebody":  {"requestedBy: {kind: Person}", `RebootRemediationTemplate in version "v1alpha1" cannot be handled as a RebootRemediationTemplate: strict decoding error: unknown field "spec.template.spec.requestedBy"`},
		"for a Machine": {"machine: {apiGroup: cluster.x-k8s.io, name: m}", `RebootRemediationTemplate in version "v1alpha1" cannot be handled as a RebootRemediationTemplate: strict decoding error: unknown field "spec.template.spec.machine"`},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, create(t, e.Client, ns, "RebootRemediationTemplate", "template: {spec: {"+tt.settings+"}}"), tt.want)
		})
	}
}

// TestTemplatesCanBeChanged: changes do not affect objects that were created earlier.
func TestTemplatesCanBeChanged(t *testing.T) {
	e := env.Get(t)
	template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "cycle"}}
	build.Create(t.Context(), t, e.Client, template)
	template.Spec.Template.Spec.RetryLimit = new(int32(5))
	if err := e.Client.Update(t.Context(), template); err != nil {
		t.Fatal(err)
	}
	if got := *template.Spec.Template.Spec.RetryLimit; got != 5 {
		t.Errorf("retryLimit is %d, want 5", got)
	}
}
