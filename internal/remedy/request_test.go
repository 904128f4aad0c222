package remedy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// fixStep asks for a request from the template of the harness.
func fixStep(doneWhen v1alpha1.DoneWhen) v1alpha1.RemediationStep {
	ref := &v1alpha1.StepTemplateReference{APIVersion: env.RemediationGroupVersion.String(), Kind: env.RemediationTemplateKind, Name: "fix"}
	return v1alpha1.RemediationStep{Name: "fix", Action: v1alpha1.ActionRequest, TemplateRef: ref, DoneWhen: doneWhen, TimeoutSeconds: new(int32(60))}
}

// request stores a record of the Machine, and returns the second attempt of one of its steps.
func (f *harness) request(t *testing.T, step v1alpha1.RemediationStep) remedy.Request {
	t.Helper()
	cluster := build.Cluster(f.ns, build.ClusterName)
	build.Create(t.Context(), t, f.c, cluster)
	r := recordstore.New(cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName:    cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: f.machine.Name, UID: f.machine.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "mhc"},
		Finding:        v1alpha1.RemediationFinding{Reason: "NodeNotFound", Since: metav1.NewTime(build.Epoch)},
		Steps:          []v1alpha1.RemediationStep{step},
	})
	build.Create(t.Context(), t, f.c, r)
	return remedy.Request{Record: r, Step: step, Attempt: v1alpha1.RemediationAttempt{Number: 2, OperationID: operation}}
}

func (f *harness) made(t *testing.T, request remedy.Request) *unstructured.Unstructured {
	t.Helper()
	made := &unstructured.Unstructured{}
	made.SetGroupVersionKind(request.Kind())
	if err := f.c.Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: request.Name()}, made); err != nil {
		t.Fatal(err)
	}
	return made
}

func TestMakeRequest(t *testing.T) {
	for doneWhen, outlives := range map[v1alpha1.DoneWhen]bool{v1alpha1.DoneWhenMachineHealthy: false, v1alpha1.DoneWhenRequestSucceeded: true, "": false} {
		t.Run(string(doneWhen), func(t *testing.T) {
			f := newHarness(t)
			f.template(t)
			request := f.request(t, fixStep(doneWhen))
			name, owner := "m", metav1.OwnerReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Name: "m", UID: f.machine.UID}
			if outlives {
				name = request.Record.Name + "-2"
				owner = metav1.OwnerReference{APIVersion: "sickbay.dev/v1alpha1", Kind: "MachineRemediation", Name: request.Record.Name, UID: request.Record.UID}
			}
			if _, err := remedy.MakeRequest(t.Context(), f.c, f.c, request); err != nil {
				t.Fatal(err)
			}
			got := f.made(t, request)
			want := map[string]any{
				"name": name, "kind": "FixRemediation",
				"labels": map[string]string{clusterv1.ClusterNameLabel: "cluster"},
				"annotations": map[string]string{
					clusterv1.TemplateClonedFromNameAnnotation:      "fix",
					clusterv1.TemplateClonedFromGroupKindAnnotation: "FixRemediationTemplate.remediation.example.dev",
					v1alpha1.OperationAnnotation:                    operation,
				},
				"owners": []metav1.OwnerReference{owner},
				"spec":   map[string]any{"how": "gently"},
			}
			if diff := cmp.Diff(want, map[string]any{
				"name": got.GetName(), "kind": got.GetKind(), "labels": got.GetLabels(), "annotations": got.GetAnnotations(),
				"owners": got.GetOwnerReferences(), "spec": got.Object["spec"],
			}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := remedy.MakeRequest(t.Context(), f.c, f.c, request); !apierrors.IsAlreadyExists(err) {
				t.Errorf("a second time: %v", err)
			}
			if again := f.made(t, request); again.GetResourceVersion() != got.GetResourceVersion() {
				t.Error("it was written a second time")
			}
		})
	}
}

// TestMakeRequestFromOddTemplate: the request has the kind that is watched and withdrawn, whatever the template says.
func TestMakeRequestFromOddTemplate(t *testing.T) {
	f := newHarness(t)
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "fix", nil)
	template.Object["spec"] = map[string]any{"template": map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "odd", "finalizers": []any{"odd.example.dev/keep"}, "labels": map[string]any{"kept": "yes"}},
	}}
	build.Create(t.Context(), t, f.c, template)
	request := f.request(t, fixStep(""))
	if _, err := remedy.MakeRequest(t.Context(), f.c, f.c, request); err != nil {
		t.Fatal(err)
	}
	if got := f.made(t, request); len(got.GetFinalizers()) > 0 || got.GetLabels()["kept"] != "yes" {
		t.Errorf("finalizers %v, labels %v", got.GetFinalizers(), got.GetLabels())
	}
}

func TestMakeRequestWithoutTemplate(t *testing.T) {
	f := newHarness(t)
	request := f.request(t, fixStep(""))
	_, err := remedy.MakeRequest(t.Context(), f.c, f.c, request)
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "getting remediation template FixRemediationTemplate fix") {
		t.Errorf("error is %v", err)
	}
	made := &unstructured.Unstructured{}
	made.SetGroupVersionKind(request.Kind())
	made.SetNamespace(f.ns)
	made.SetName(request.Name())
	expect.Gone(t.Context(), t, f.c, made)
}

func TestMakeReboot(t *testing.T) {
	for name, tt := range map[string]struct {
		ref     *v1alpha1.StepTemplateReference
		timeout int32
		want    v1alpha1.RebootSettings
	}{
		"in a short step": {nil, 60, v1alpha1.RebootSettings{
			RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(60)), PowerOnTimeoutSeconds: new(int32(60)),
			NodeTimeoutSeconds: new(int32(60)),
		}},
		"without template": {nil, 3600, v1alpha1.RebootSettings{
			RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(600)), PowerOnTimeoutSeconds: new(int32(600)),
			NodeTimeoutSeconds: new(int32(1200)),
		}},
		"with template": {
			&v1alpha1.StepTemplateReference{APIVersion: "sickbay.dev/v1alpha1", Kind: "RebootRemediationTemplate", Name: "cycle"}, 1000,
			v1alpha1.RebootSettings{
				RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(77)), PowerOnTimeoutSeconds: new(int32(600)),
				NodeTimeoutSeconds: new(int32(1000)), Isolation: v1alpha1.OutOfServiceTaint,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "cycle"}}
			template.Spec.Template.Spec = v1alpha1.RebootSettings{RetryLimit: new(int32(5)), PowerOffTimeoutSeconds: new(int32(77)), Isolation: v1alpha1.OutOfServiceTaint}
			build.Create(t.Context(), t, f.c, template)
			request := f.request(t, v1alpha1.RemediationStep{Name: "cycle", Action: v1alpha1.ActionReboot, TemplateRef: tt.ref, TimeoutSeconds: new(tt.timeout)})
			if _, err := remedy.MakeReboot(t.Context(), f.c, f.c, request); err != nil {
				t.Fatal(err)
			}
			got := &v1alpha1.RebootRemediation{}
			if err := f.c.Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: request.Record.Name + "-2"}, got); err != nil {
				t.Fatal(err)
			}
			want := v1alpha1.RebootRemediationSpec{
				Machine:        &v1alpha1.MachineReference{APIGroup: "cluster.x-k8s.io", Name: "m"},
				RequestedBy:    &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: request.Record.Name, UID: request.Record.UID, OperationID: operation},
				RebootSettings: tt.want,
			}
			if diff := cmp.Diff(want, got.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			owner := metav1.OwnerReference{APIVersion: "sickbay.dev/v1alpha1", Kind: "MachineRemediation", Name: request.Record.Name, UID: request.Record.UID}
			if diff := cmp.Diff([]metav1.OwnerReference{owner}, got.OwnerReferences); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
			if got.Annotations[v1alpha1.OperationAnnotation] != operation || got.Labels[clusterv1.ClusterNameLabel] != "cluster" {
				t.Errorf("annotations %v, labels %v", got.Annotations, got.Labels)
			}
			if _, err := remedy.MakeReboot(t.Context(), f.c, f.c, request); !apierrors.IsAlreadyExists(err) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

func TestMakeRebootWithoutTemplate(t *testing.T) {
	f := newHarness(t)
	ref := &v1alpha1.StepTemplateReference{APIVersion: "sickbay.dev/v1alpha1", Kind: "RebootRemediationTemplate", Name: "cycle"}
	request := f.request(t, v1alpha1.RemediationStep{Name: "cycle", Action: v1alpha1.ActionReboot, TemplateRef: ref, TimeoutSeconds: new(int32(60))})
	if _, err := remedy.MakeReboot(t.Context(), f.c, f.c, request); !apierrors.IsNotFound(err) {
		t.Errorf("error is %v", err)
	}
}

// TestWithdrawRequest: only the object that was read is deleted, not a later one of the same name.
func TestWithdrawRequest(t *testing.T) {
	tests := map[string]struct {
		change        func(*v1alpha1.RemediationObjectReference)
		gone, refused bool
	}{
		"it stands":                  {func(*v1alpha1.RemediationObjectReference) {}, false, false},
		"another has its name since": {func(ref *v1alpha1.RemediationObjectReference) { ref.UID = "before" }, false, true},
		"it is gone already":         {func(ref *v1alpha1.RemediationObjectReference) { ref.Name = "gone" }, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			f.template(t)
			request := f.request(t, fixStep(""))
			if _, err := remedy.MakeRequest(t.Context(), f.c, f.c, request); err != nil {
				t.Fatal(err)
			}
			made := f.made(t, request)
			ref := v1alpha1.RemediationObjectReference{APIVersion: made.GetAPIVersion(), Kind: made.GetKind(), Name: made.GetName(), UID: made.GetUID()}
			tt.change(&ref)
			if gone, err := remedy.WithdrawRequest(t.Context(), f.c, f.ns, ref); gone != tt.gone || apierrors.IsConflict(err) != tt.refused || (err != nil && !tt.refused) {
				t.Errorf("it was gone already: %t, %v", gone, err)
			}
			if tt.gone || tt.refused {
				f.made(t, request)
				return
			}
			expect.Gone(t.Context(), t, f.c, made)
		})
	}
}

// template stores the template that the MachineHealthCheck refers to.
func (f *harness) template(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "fix", map[string]any{"how": "gently"})
	build.Create(t.Context(), t, f.c, template)
	return template
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
