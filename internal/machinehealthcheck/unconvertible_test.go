package machinehealthcheck

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// webhookDown is a reader of an API server that cannot convert the kinds of others: their provider, with its webhook, is away.
type webhookDown struct{ client.Reader }

func (f webhookDown) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
		return apierrors.NewInternalError(errors.New("conversion webhook for remediation.example.dev/v1alpha1, Kind=FixRemediation failed: connection refused"))
	}
	return f.Reader.List(ctx, list, opts...)
}

// TestKindThatCannotBeConverted: that must be said on the MachineHealthCheck, and its machines be counted nevertheless.
func TestKindThatCannotBeConverted(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), w.ns, "fix", nil)
	build.Create(t.Context(), t, w.env.Client, template)
	mhc := w.check(t, build.TemplateRef(template.GroupVersionKind(), "fix"))
	w.sick(t, "a")
	w.healthy(t, "b")
	w.Live = webhookDown{w.env.Client}
	for range 5 {
		if _, err := w.tryReconcile(t, mhc); err != nil {
			t.Logf("error: %v", err)
		}
	}
	mhc, _ = fetch(t, w, mhc)
	c := meta.FindStatusCondition(mhc.Status.Conditions, admission.ConditionTemplateAvailable)
	if c == nil || c.Status != metav1.ConditionFalse {
		t.Errorf("it does not say that the template cannot be read: %v", c)
	}
	if got := ptr.Deref(mhc.Status.ExpectedMachines, -1); got != 2 {
		t.Errorf("expectedMachines is %d, want 2; conditions are %v", got, mhc.Status.Conditions)
	}
}
