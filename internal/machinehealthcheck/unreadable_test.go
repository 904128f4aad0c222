package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// forbidding is a reader that may not list foreign kinds.
type forbidding struct{ client.Reader }

func (f forbidding) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
		return apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no rule allows it"))
	}
	return f.Reader.List(ctx, list, opts...)
}

// A cache that is asked for a kind which it may not list waits for ever. That must be said on the
// MachineHealthCheck, and the request be made once the permission is there.
func TestKindThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), w.ns, "fix", nil)
	build.Create(t.Context(), t, w.env.Client, template)
	mhc := w.check(t, build.TemplateRef(template.GroupVersionKind(), "fix"))
	w.sick(t, "a")
	w.Live = forbidding{w.env.Client}
	after := w.reconcile(t, mhc)
	c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable)
	want := "remediation request kind FixRemediation of remediation.example.dev/v1 may not be read: Sickbay lacks the permission"
	if c.Status != metav1.ConditionFalse || c.Message != want {
		t.Errorf("%s is %s: %q, want False: %q", c.Type, c.Status, c.Message, want)
	}
	if after == 0 || after > admission.TemplateRetry {
		t.Errorf("looked at again after %s, want within %s", after, admission.TemplateRetry)
	}
	w.Live = w.env.Client
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: request")
}

// A kind that goes after it was read is missing again, and is asked for anew.
func TestKindThatIsUninstalled(t *testing.T) {
	t.Parallel()
	r := &Reconciler{}
	gvk := env.RemediationGroupVersion.WithKind("Fix")
	r.readable.add(gvk)
	gone := fmt.Errorf("listing: %w", &meta.NoKindMatchError{GroupKind: gvk.GroupKind()})
	if got := r.forgetUninstalled(gone, gvk, "request"); got != "remediation request kind Fix of remediation.example.dev/v1 is not installed" {
		t.Errorf("missing is %q", got)
	}
	if r.readable.has(gvk) {
		t.Error("the kind still counts as readable")
	}
	if other := errors.New("another error"); !errors.Is(ignoreUninstalled(other), other) || ignoreUninstalled(gone) != nil {
		t.Error("only a kind that is not installed is no error")
	}
}
