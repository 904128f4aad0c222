package remedy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

var requestKind = env.RemediationGroupVersion.WithKind(env.RemediationKind)

// template stores the template that the MachineHealthCheck refers to.
func (f *fixture) template(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "fix", map[string]any{"how": "gently"})
	build.Create(t.Context(), t, f.c, template)
	return template
}

// request returns the request for the Machine.
func (f *fixture) request(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	request := f.noRequest()
	if err := f.c.Get(t.Context(), client.ObjectKeyFromObject(request), request); err != nil {
		t.Fatal(err)
	}
	return request
}

// noRequest is what a request for the Machine would be called.
func (f *fixture) noRequest() *unstructured.Unstructured {
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(requestKind)
	request.SetNamespace(f.ns)
	request.SetName("m")
	return request
}

func TestRequest(t *testing.T) {
	f := newFixture(t)
	f.template(t)
	f.mustApply(t, remedy.Request, "requested by FixRemediation m")
	got := f.request(t)
	metadata := map[string]any{
		"labels": map[string]string{clusterv1.ClusterNameLabel: "cluster"},
		"annotations": map[string]string{
			clusterv1.TemplateClonedFromNameAnnotation:      "fix",
			clusterv1.TemplateClonedFromGroupKindAnnotation: "FixRemediationTemplate.remediation.example.dev",
		},
		"owners": []metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Name: "m", UID: f.machine.UID}},
		"spec":   map[string]any{"how": "gently"},
	}
	if diff := cmp.Diff(metadata, map[string]any{
		"labels": got.GetLabels(), "annotations": got.GetAnnotations(), "owners": got.GetOwnerReferences(), "spec": got.Object["spec"],
	}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRequestTwice: a crash between the write and all else is made up for.
func TestRequestTwice(t *testing.T) {
	f := newFixture(t)
	f.template(t)
	f.mustApply(t, remedy.Request, "requested by FixRemediation m")
	first := f.request(t)
	f.mustApply(t, remedy.Request, "requested by FixRemediation m")
	if again := f.request(t); again.GetResourceVersion() != first.GetResourceVersion() {
		t.Error("it was written a second time")
	}
}

func TestRequestWithoutTemplate(t *testing.T) {
	f := newFixture(t)
	_, err := f.apply(t, remedy.Request)
	if err == nil || !strings.Contains(err.Error(), "getting remediation template FixRemediationTemplate fix") {
		t.Errorf("error is %v", err)
	}
	expect.Gone(t.Context(), t, f.c, f.noRequest())
}

// TestRequestFromOddTemplate: the kind of the request is that which is watched and withdrawn, whatever
// is written in the template.
func TestRequestFromOddTemplate(t *testing.T) {
	f := newFixture(t)
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "fix", nil)
	template.Object["spec"] = map[string]any{"template": map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "odd", "finalizers": []any{"odd.example.dev/keep"}, "labels": map[string]any{"kept": "yes"}},
	}}
	build.Create(t.Context(), t, f.c, template)
	f.mustApply(t, remedy.Request, "requested by FixRemediation m")
	if got := f.request(t); len(got.GetFinalizers()) > 0 || got.GetLabels()["kept"] != "yes" {
		t.Errorf("finalizers %v, labels %v", got.GetFinalizers(), got.GetLabels())
	}
}

// TestRequestOfAnother: one of the same name that was not made for this Machine is not taken for ours.
func TestRequestOfAnother(t *testing.T) {
	f := newFixture(t)
	f.template(t)
	foreign := f.noRequest()
	foreign.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Name: "m", UID: "of the one before"}})
	build.Create(t.Context(), t, f.c, foreign)
	if _, err := f.apply(t, remedy.Request); err == nil || !strings.Contains(err.Error(), "belongs to another object") {
		t.Errorf("error is %v", err)
	}
}

func TestRequestKind(t *testing.T) {
	for kind, want := range map[string]string{
		"Metal3RemediationTemplate": "Metal3Remediation", "Metal3Remediation": "Metal3Remediation", "TemplateOfATemplate": "TemplateOfA",
	} {
		got := remedy.RequestKind(clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: "example.dev/v1", Kind: kind, Name: "x"})
		if got.Kind != want || got.Group != "example.dev" || got.Version != "v1" {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}
