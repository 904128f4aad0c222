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

// bare is a registration with nothing in it that has a default.
func bare[T client.Object](answer healthcheck.Result) healthcheck.Registration[T] {
	check := func(context.Context, healthcheck.Input[T]) (healthcheck.Result, error) { return answer, nil }
	return healthcheck.Registration[T]{
		Name: "bare", Conditions: []healthcheck.ConditionChecks[T]{healthcheck.NewCondition("Healthy", healthcheck.NewCheck("answer", check))},
	}
}

// embedding is a store of one's own that leaves the writing to the one that it embeds.
type embedding struct {
	healthcheck.Metav1Store[*Widget]
}

// deeper embeds one that embeds it, behind a pointer and an interface.
type deeper struct{ healthcheck.Store[*Widget] }

// pointed embeds a pointer to it.
type pointed struct {
	*healthcheck.Metav1Store[*Widget]
}

// TestDefaultsOfARegistration: New and Store follow from the type, and a store that embeds the one of the library gets what that gets.
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
			e.Manager(t, env.ManagerOptions{Namespaces: []string{widget.Namespace}, Setup: healthcheck.New(registration).AddToManager})
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

// TestDefaultsKeepWhatIsSet: a client and an owner of one's own stay.
func TestDefaultsKeepWhatIsSet(t *testing.T) {
	g := NewWithT(t)
	e := env.Get(t)
	widget := create(t, e)
	registration := bare[*Widget](result(healthcheck.True, "Fine", ""))
	registration.Name = widget.Namespace
	registration.Store = embedding{healthcheck.Metav1Store[*Widget]{Client: e.Client, FieldOwner: "mine"}}
	e.Manager(t, env.ManagerOptions{Namespaces: []string{widget.Namespace}, Setup: healthcheck.New(registration).AddToManager})
	g.Eventually(func() []string { return owners(read(t, e.Client, widget)) }, patience).Should(ContainElement("mine"))
}

// TestEvaluateWithDefaults needs neither New nor Store, and says so where the type has no conditions.
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
			`registration "bare" has no Store: give it one, or the type *v1.ConfigMap the method GetConditions() []metav1.Condition`,
		},
		"an interface": {
			object.Validate(),
			"registration \"bare\" needs New, as client.Object does not say of which kind an object is\n" +
				`registration "bare" has no Store: give it one, or the type client.Object the method GetConditions() []metav1.Condition`,
		},
		"any kind": {
			listed.Validate(),
			"registration \"bare\" needs New, as *unstructured.Unstructured does not say of which kind an object is\n" +
				`registration "bare" has no Store: give it one, or the type *unstructured.Unstructured the method GetConditions() []metav1.Condition`,
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

// TestStoreWithoutClient is told in words: a store somewhere inside of one's own does not get the default.
func TestStoreWithoutClient(t *testing.T) {
	f := newFixture(t, result(healthcheck.True, "Fine", ""))
	f.Store = healthcheck.Metav1Store[*Widget]{}
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil || !strings.Contains(err.Error(), "has no Client") {
		t.Errorf("error is %v", err)
	}
	if err := f.Store.Remove(t.Context(), f.widget, []string{"Healthy"}); err == nil || !strings.Contains(err.Error(), "has no Client") {
		t.Errorf("error of Remove is %v", err)
	}
}
