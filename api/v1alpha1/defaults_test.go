package v1alpha1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// byDefault are the settings of an object that specifies none.
func byDefault() v1alpha1.RebootSettings {
	return v1alpha1.RebootSettings{
		RetryLimit: new(int32(1)), PowerOffTimeoutSeconds: new(int32(600)), PowerOnTimeoutSeconds: new(int32(600)),
		NodeTimeoutSeconds: new(int32(1200)),
	}
}

// asked returns the settings as a controller reads them.
type asked struct {
	Attempts                        int32
	PowerOffTimeout, PowerOnTimeout time.Duration
	NodeTimeout                     time.Duration
	TaintsNode                      bool
}

func read(s v1alpha1.RebootSettings) asked {
	return asked{s.Attempts(), s.PowerOffTimeout(), s.PowerOnTimeout(), s.NodeTimeout(), s.TaintsNode()}
}

func TestSettings(t *testing.T) {
	usual := asked{Attempts: 2, PowerOffTimeout: 10 * time.Minute, PowerOnTimeout: 10 * time.Minute, NodeTimeout: 20 * time.Minute}
	but := func(change func(*asked)) asked {
		changed := usual
		change(&changed)
		return changed
	}
	for name, tt := range map[string]struct {
		given v1alpha1.RebootSettings
		want  asked
	}{
		"nothing, as without the CustomResourceDefinition": {v1alpha1.RebootSettings{}, usual},
		"the defaults of the CustomResourceDefinition":     {byDefault(), usual},
		"no retry":              {v1alpha1.RebootSettings{RetryLimit: new(int32(0))}, but(func(a *asked) { a.Attempts = 1 })},
		"three retries":         {v1alpha1.RebootSettings{RetryLimit: new(int32(3))}, but(func(a *asked) { a.Attempts = 4 })},
		"fewer than none":       {v1alpha1.RebootSettings{RetryLimit: new(int32(-5))}, but(func(a *asked) { a.Attempts = 1 })},
		"time to power off":     {v1alpha1.RebootSettings{PowerOffTimeoutSeconds: new(int32(1))}, but(func(a *asked) { a.PowerOffTimeout = time.Second })},
		"time to power on":      {v1alpha1.RebootSettings{PowerOnTimeoutSeconds: new(int32(90))}, but(func(a *asked) { a.PowerOnTimeout = 90 * time.Second })},
		"time for the Node":     {v1alpha1.RebootSettings{NodeTimeoutSeconds: new(int32(86400))}, but(func(a *asked) { a.NodeTimeout = 24 * time.Hour })},
		"no time is no time":    {v1alpha1.RebootSettings{NodeTimeoutSeconds: new(int32(0))}, usual},
		"nor is less than that": {v1alpha1.RebootSettings{PowerOffTimeoutSeconds: new(int32(-1))}, usual},
		"deletes the Node":      {v1alpha1.RebootSettings{Isolation: v1alpha1.DeleteNode}, usual},
		"taints the Node":       {v1alpha1.RebootSettings{Isolation: v1alpha1.OutOfServiceTaint}, but(func(a *asked) { a.TaintsNode = true })},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(tt.given)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDefaultsArrive: every object gets the defaults, however it is created, and the functions return the same ones.
func TestDefaultsArrive(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, spec := range map[string]any{
		"no-spec": nil, "empty-spec": map[string]any{}, "some-spec": map[string]any{"retryLimit": int64(1)},
	} {
		t.Run(name, func(t *testing.T) {
			given := unstructuredOf("RebootRemediation", ns, name)
			if spec != nil {
				given.Object["spec"] = spec
			}
			build.Create(t.Context(), t, e.Client, given)
			got := stored(t, e.Client, remediation(ns, name, v1alpha1.RebootSettings{}))
			if diff := cmp.Diff(v1alpha1.RebootRemediationSpec{RebootSettings: byDefault()}, got.Spec); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(read(v1alpha1.RebootSettings{}), read(got.Spec.RebootSettings)); diff != "" {
				t.Errorf("without and with the CustomResourceDefinition (-without +with):\n%s", diff)
			}
		})
	}
	t.Run("typed", func(t *testing.T) {
		given := remediation(ns, "typed", v1alpha1.RebootSettings{})
		build.Create(t.Context(), t, e.Client, given)
		if diff := cmp.Diff(byDefault(), given.Spec.RebootSettings); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestDefaultsDoNotOverrule: values that are set stay.
func TestDefaultsDoNotOverrule(t *testing.T) {
	e := env.Get(t)
	want := v1alpha1.RebootSettings{
		RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(1)), PowerOnTimeoutSeconds: new(int32(2)),
		NodeTimeoutSeconds: new(int32(3)), Isolation: v1alpha1.OutOfServiceTaint,
	}
	given := remediation(e.Namespace(t), "m", want)
	build.Create(t.Context(), t, e.Client, given)
	if diff := cmp.Diff(want, stored(t, e.Client, given).Spec.RebootSettings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTemplateDefaultsArrive: a template with only a name is valid.
func TestTemplateDefaultsArrive(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, spec := range map[string]any{
		"no-spec":     nil,
		"no-template": map[string]any{},
		"no-settings": map[string]any{"template": map[string]any{}},
		"empty":       map[string]any{"template": map[string]any{"spec": map[string]any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			given := unstructuredOf("RebootRemediationTemplate", ns, name)
			if spec != nil {
				given.Object["spec"] = spec
			}
			build.Create(t.Context(), t, e.Client, given)
			checkTemplate(t, e.Client, client.ObjectKeyFromObject(given))
		})
	}
	t.Run("typed", func(t *testing.T) {
		given := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "typed"}}
		build.Create(t.Context(), t, e.Client, given)
		checkTemplate(t, e.Client, client.ObjectKeyFromObject(given))
	})
}

func checkTemplate(t *testing.T, c client.Client, key client.ObjectKey) {
	t.Helper()
	got := &v1alpha1.RebootRemediationTemplate{}
	if err := c.Get(t.Context(), key, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(byDefault(), got.Spec.Template.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func unstructuredOf(kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}
