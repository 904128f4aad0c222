package healthcheck_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// TestHungCheckHoldsNobodyUp: while a check of one object hangs, other objects are checked, even with the default
// concurrency.
func TestHungCheckHoldsNobodyUp(t *testing.T) {
	for name, needs := range map[string]healthcheck.Needs{"the target": healthcheck.NeedsTarget, "something of its own": 0} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dead := newHarness(t, healthcheck.Result{})
			alive := create(t, dead.env)
			begun := make(chan struct{}, 100)
			hang := func(ctx context.Context, widget *Widget) error {
				if widget.Namespace == dead.widget.Namespace {
					begun <- struct{}{}
					<-ctx.Done()
				}
				return ctx.Err()
			}
			r := &healthcheck.Reconciler[*Widget]{Registration: dead.Registration}
			r.OnTransition, r.CheckTimeout = nil, time.Hour
			check := func(ctx context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
				return result(healthcheck.True, "Fine", ""), hang(ctx, in.Object)
			}
			if needs == healthcheck.NeedsTarget {
				r.Targets = healthcheck.TargetsFunc[*Widget](func(ctx context.Context, widget *Widget) (client.Reader, error) {
					return dead.env.Client, hang(ctx, widget)
				})
				check = func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
					return result(healthcheck.True, "Fine", ""), nil
				}
			}
			r.Conditions[0].Checks[0] = healthcheck.NamedCheck[*Widget]{Name: "answer", Needs: needs, Check: healthcheck.CheckFunc[*Widget](check)}
			dead.env.Manager(t, env.ManagerOptions{Namespaces: []string{dead.widget.Namespace, alive.Namespace}, Setup: r.SetupWithManager})
			<-begun
			// Change the other object only after this call has started to hang.
			edited := alive.DeepCopyObject().(*Widget)
			edited.Spec.Size++
			g.Expect(dead.env.Client.Patch(t.Context(), edited, client.MergeFrom(alive))).To(Succeed())
			g.Eventually(func() []metav1.Condition { return read(t, dead.env.Client, alive).Status.Conditions }, patience).Should(
				ContainElement(HaveField("ObservedGeneration", BeEquivalentTo(2))))
		})
	}
}
