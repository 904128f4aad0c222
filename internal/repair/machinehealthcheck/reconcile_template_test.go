package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// template stores the template that byTemplate refers to.
func (w *harness) template(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	template := build.RemediationTemplate(templateKind, w.ns, "fix", map[string]any{"how": "gently"})
	build.Create(t.Context(), t, w.env.Client, template)
	return template
}

// TestTemplateAppears: the Machine is admitted once it is there, and without a reference nothing is said of it.
func TestTemplateAppears(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	after := w.reconcile(t, mhc)
	w.wantAdmitted(t)
	if after != admission.TemplateRetry {
		t.Errorf("looks again after %s, want %s", after, admission.TemplateRetry)
	}
	message := "remediation template FixRemediationTemplate fix does not exist"
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionTemplateAvailable, Status: metav1.ConditionFalse, Reason: admission.ReasonTemplateNotFound, ObservedGeneration: 1, Message: message,
	})
	w.reconcile(t, mhc)
	if diff := cmp.Diff([]string{"Warning RemediationTemplateNotFound " + message}, w.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.template(t)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, a.Name+": request")
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: admission.ConditionTemplateAvailable, Status: metav1.ConditionTrue, Reason: admission.ReasonTemplateAvailable, ObservedGeneration: 1,
	})
	change(t, w, mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Remediation = clusterv1.MachineHealthCheckRemediation{} })
	w.reconcile(t, mhc)
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable)
}

// TestTemplateKindNotInstalled: a provider that is not there is no reason to stop counting.
func TestTemplateKindNotInstalled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind schema.GroupVersionKind
		want string
	}{
		"group":        {schema.GroupVersionKind{Group: "nowhere.example.dev", Version: "v1", Kind: "NoTemplate"}, "remediation request kind No of nowhere.example.dev/v1 is not installed"},
		"request kind": {env.RemediationGroupVersion.WithKind("OtherTemplate"), "remediation request kind Other of remediation.example.dev/v1 is not installed"},
		"version":      {schema.GroupVersionKind{Group: env.RemediationGroupVersion.Group, Version: "v9", Kind: env.RemediationTemplateKind}, "remediation request kind FixRemediation of remediation.example.dev/v9 is not installed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.sick(t, "a")
			mhc := w.check(t, build.TemplateRef(tt.kind, "fix"))
			w.reconcile(t, mhc)
			w.wantAdmitted(t)
			if got := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable); got.Message != tt.want {
				t.Errorf("message is %q, want %q", got.Message, tt.want)
			}
			if latest, _ := stored(t, w, mhc); *latest.Status.ExpectedMachines != 1 {
				t.Errorf("status is %+v", latest.Status)
			}
		})
	}
}
