package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	w := newWard(t)
	template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), w.ns, "fix", nil)
	build.Create(t.Context(), t, w.env.Client, template)
	mhc := w.check(t, build.TemplateRef(template.GroupVersionKind(), "fix"))
	w.sick(t, "a")
	w.Live = forbidding{w.env.Client}
	after := w.reconcile(t, mhc)
	c := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionTemplateAvailable)
	want := "remediation request kind FixRemediation of remediation.example.dev/v1 may not be read: Sickbay lacks the permission"
	if c.Status != metav1.ConditionFalse || c.Message != want {
		t.Errorf("%s is %s: %q, want False: %q", c.Type, c.Status, c.Message, want)
	}
	if after == 0 || after > templateRetry {
		t.Errorf("looked at again after %s, want within %s", after, templateRetry)
	}
	w.Live = w.env.Client
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request")
}

func TestTemplateOfAKindThatIsNone(t *testing.T) {
	t.Parallel()
	f := Facts{
		Cluster:            build.Cluster("ns", build.ClusterName),
		MachineHealthCheck: build.MachineHealthCheck("ns", "mhc", build.TemplateRef(env.RemediationGroupVersion.WithKind("Fix"), "fix")),
	}
	want := []string{`spec.remediation.templateRef.kind is "Fix": it must end in Template`}
	if diff := cmp.Diff(want, Decide(f, build.Epoch).Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// A kind that goes after it was read is missing again, and is asked for anew.
func TestKindThatIsUninstalled(t *testing.T) {
	t.Parallel()
	r := &Reconciler{}
	gvk := env.RemediationGroupVersion.WithKind("Fix")
	r.kinds.setReadable(gvk)
	gone := fmt.Errorf("listing: %w", &meta.NoKindMatchError{GroupKind: gvk.GroupKind()})
	if got := r.uninstalled(gone, gvk, "request").Missing; got != "remediation request kind Fix of remediation.example.dev/v1 is not installed" {
		t.Errorf("missing is %q", got)
	}
	if r.kinds.isReadable(gvk) {
		t.Error("the kind still counts as readable")
	}
	if other := errors.New("another error"); !errors.Is(ignoreUninstalled(other), other) || ignoreUninstalled(gone) != nil {
		t.Error("only a kind that is not installed is no error")
	}
}
