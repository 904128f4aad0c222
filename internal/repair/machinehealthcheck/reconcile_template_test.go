package machinehealthcheck

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
