package healthcheck_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// TestDeletionIsAlwaysHeardOf: a predicate passes objects with a label, and an object loses its label before it is deleted. What
// is kept for it, and its count in the gauges, must still go.
func TestDeletionIsAlwaysHeardOf(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	widget := f.stored(t)
	widget.Labels = map[string]string{"checked": "yes"}
	g.Expect(f.env.Client.Update(t.Context(), widget)).To(Succeed())
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition = nil
	r.Name = f.widget.Namespace
	r.Predicates = []predicate.Predicate{predicate.NewPredicateFuncs(func(obj client.Object) bool {
		return obj.GetLabels()["checked"] != ""
	})}
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	counted := func() (int, error) { return testutil.GatherAndCount(only(t, r.Name), "sickbay_conditions") }
	g.Eventually(counted, patience).Should(Equal(1))
	widget = f.stored(t)
	widget.Labels = nil
	g.Expect(f.env.Client.Update(t.Context(), widget)).To(Succeed())
	g.Expect(f.env.Client.Delete(t.Context(), widget)).To(Succeed())
	g.Eventually(counted, patience).Should(BeZero())
}
