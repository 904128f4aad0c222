package healthcheck_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// bare is a registration without any field that has a default.
func bare[T client.Object](answer healthcheck.Result) healthcheck.Registration[T] {
	check := func(context.Context, healthcheck.Input[T]) (healthcheck.Result, error) { return answer, nil }
	return healthcheck.Registration[T]{
		Name: "bare", Conditions: []healthcheck.ConditionChecks[T]{healthcheck.NewCondition("Healthy", healthcheck.NewCheck("answer", check))},
	}
}

// embedding is a custom store that embeds the one that writes.
type embedding struct {
	healthcheck.Metav1Store[*Widget]
}

// deeper embeds such a store behind a pointer and an interface.
type deeper struct{ healthcheck.Store[*Widget] }

// pointed embeds a pointer to a Metav1Store.
type pointed struct {
	*healthcheck.Metav1Store[*Widget]
}

// TestDefaultsOfARegistration: New and Store follow from the type, and an embedded Metav1Store gets the same defaults.
func TestDefaultsOfARegistration(t *testing.T) {
	for name, store := range map[string]healthcheck.Store[*Widget]{
		"none":                    nil,
		"an empty one":            healthcheck.Metav1Store[*Widget]{},
		"one that embeds it":      embedding{},
		"a pointer to such a one": &embedding{},
		"one that embeds another": deeper{&embedding{}},
		"one in an interface":     deeper{embedding{}},
		"one with a pointer":      pointed{},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e := env.Get(t)
			widget := create(t, e)
			registration := bare[*Widget](result(healthcheck.True, "Fine", ""))
			registration.Name, registration.Store = widget.Namespace, store
			e.Manager(t, env.ManagerOptions{Namespaces: []string{widget.Namespace}, Setup: healthcheck.New(registration).SetupWithManager})
			g.Eventually(func() []string { return types(read(t, e.Client, widget)) }, patience).Should(Equal([]string{"Healthy"}))
			g.Expect(owners(read(t, e.Client, widget))).To(ContainElement(registration.Name))
		})
	}
}

func owners(widget *Widget) []string {
	var names []string
	for _, entry := range widget.ManagedFields {
		names = append(names, entry.Manager)
	}
	return names
}

// TestDefaultsKeepWhatIsSet: defaults do not replace a client and an owner that are set.
func TestDefaultsKeepWhatIsSet(t *testing.T) {
	g := NewWithT(t)
	e := env.Get(t)
	widget := create(t, e)
	registration := bare[*Widget](result(healthcheck.True, "Fine", ""))
	registration.Name = widget.Namespace
	registration.Store = embedding{healthcheck.Metav1Store[*Widget]{Client: e.Client, FieldOwner: "mine"}}
	e.Manager(t, env.ManagerOptions{Namespaces: []string{widget.Namespace}, Setup: healthcheck.New(registration).SetupWithManager})
	g.Eventually(func() []string { return owners(read(t, e.Client, widget)) }, patience).Should(ContainElement("mine"))
}

// TestEvaluateWithDefaults: Evaluate needs neither New nor Store, and returns an error if the type has no conditions.
func TestEvaluateWithDefaults(t *testing.T) {
	engine := healthcheck.New(bare[*Widget](result(healthcheck.True, "Fine", "")))
	got, err := engine.Evaluate(t.Context(), &Widget{})
	if err != nil || len(got.Conditions) != 1 || got.Conditions[0].Reason != "Fine" {
		t.Errorf("it is %+v, %v", got, err)
	}
	_, err = healthcheck.New(bare[*corev1.ConfigMap](result(healthcheck.True, "Fine", ""))).Evaluate(t.Context(), &corev1.ConfigMap{})
	if err == nil || !strings.Contains(err.Error(), "GetConditions") {
		t.Errorf("error is %v", err)
	}
}

func TestValidateOfDefaults(t *testing.T) {
	fine := result(healthcheck.True, "Fine", "")
	object, listed := bare[client.Object](fine), bare[*unstructured.Unstructured](fine)
	unpointed := bare[*corev1.ConfigMap](fine)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"nothing is missing": {new(bare[*Widget](fine)).Validate(), ""},
		"no conditions in the type": {
			unpointed.Validate(),
			`registration "bare" has no Store: set one, or give type *v1.ConfigMap the method GetConditions() []metav1.Condition`,
		},
		"an interface": {
			object.Validate(),
			"registration \"bare\" needs New, because type client.Object does not determine the kind\n" +
				`registration "bare" has no Store: set one, or give type client.Object the method GetConditions() []metav1.Condition`,
		},
		"any kind": {
			listed.Validate(),
			"registration \"bare\" needs New, because type *unstructured.Unstructured does not determine the kind\n" +
				`registration "bare" has no Store: set one, or give type *unstructured.Unstructured the method GetConditions() []metav1.Condition`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if tt.err != nil {
				got = tt.err.Error()
			}
			if got != tt.want {
				t.Errorf("error is\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// TestStoreWithoutClient: a Metav1Store in a field that is not embedded gets no defaults; the error says so.
func TestStoreWithoutClient(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Store = healthcheck.Metav1Store[*Widget]{}
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil || !strings.Contains(err.Error(), "has no Client") {
		t.Errorf("error is %v", err)
	}
	if err := f.Store.Remove(t.Context(), f.widget, []string{"Healthy"}); err == nil || !strings.Contains(err.Error(), "has no Client") {
		t.Errorf("error of Remove is %v", err)
	}
}
