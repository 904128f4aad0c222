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
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// refusing is a reader that cannot list the kinds of others.
type refusing struct {
	client.Reader
	err error
}

func (f refusing) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
		return f.err
	}
	return f.Reader.List(ctx, list, opts...)
}

// A cache that is asked for a kind which it may not list waits for ever. The MachineHealthCheck says what is wrong and counts its machines, and the
// request is made once the kind can be read.
func TestKindThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const kind = "remediation request kind FixRemediation of remediation.example.dev/v1 "
	rows := map[string]struct {
		err  error
		want string
	}{
		"no permission": {apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no rule allows it")), kind + "may not be read: Sickbay lacks the permission"},
		"no webhook": {
			apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused")),
			kind + "cannot be read: Internal error occurred: conversion webhook failed: connection refused",
		},
	}
	for name, tt := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			template := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), w.ns, "fix", nil)
			build.Create(t.Context(), t, w.env.Client, template)
			mhc := w.check(t, build.TemplateRef(template.GroupVersionKind(), "fix"))
			w.sick(t, "a")
			w.Live = refusing{w.env.Client, tt.err}
			after := w.reconcile(t, mhc)
			c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionTemplateAvailable)
			if c.Status != metav1.ConditionFalse || c.Message != tt.want {
				t.Errorf("%s is %s: %q, want False: %q", c.Type, c.Status, c.Message, tt.want)
			}
			if now, _ := stored(t, w, mhc); ptr.Deref(now.Status.ExpectedMachines, 0) != 1 {
				t.Errorf("machines are not counted: %+v", now.Status)
			}
			if after == 0 || after > admission.TemplateRetry {
				t.Errorf("looked at again after %s, want within %s", after, admission.TemplateRetry)
			}
			w.Live = w.env.Client
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: request")
		})
	}
}

// A kind that goes after it was read is missing again, and is asked for anew.
func TestKindThatIsUninstalled(t *testing.T) {
	t.Parallel()
	r := &Reconciler{}
	gvk := env.RemediationGroupVersion.WithKind("Fix")
	r.readable.Store(gvk, true)
	gone := fmt.Errorf("listing: %w", &meta.NoKindMatchError{GroupKind: gvk.GroupKind()})
	if got := r.forgetUninstalled(gone, gvk, "request"); got != "remediation request kind Fix of remediation.example.dev/v1 is not installed" {
		t.Errorf("missing is %q", got)
	}
	if _, kept := r.readable.Load(gvk); kept {
		t.Error("the kind still counts as readable")
	}
	if other := errors.New("another error"); !errors.Is(ignoreUninstalled(other), other) || ignoreUninstalled(gone) != nil {
		t.Error("only a kind that is not installed is no error")
	}
}
