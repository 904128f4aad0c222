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

// TestDeadTargetHoldsNobodyUp: while the check of one object waits for its target, others get their turn, even if nobody
// has thought of how many are checked at once.
func TestDeadTargetHoldsNobodyUp(t *testing.T) {
	g := NewWithT(t)
	dead := newFixture(t, healthcheck.Result{})
	alive := create(t, dead.env)
	begun := make(chan struct{}, 100)
	r := &healthcheck.Reconciler[*Widget]{Registration: dead.Registration}
	r.OnTransition, r.CheckTimeout = nil, time.Hour
	r.Targets = healthcheck.TargetsFunc[*Widget](func(ctx context.Context, widget *Widget) (client.Reader, error) {
		if widget.Namespace == dead.widget.Namespace {
			begun <- struct{}{}
			<-ctx.Done()
		}
		return dead.env.Client, ctx.Err()
	})
	r.Conditions[0].Checks[0] = healthcheck.NamedCheck[*Widget]{
		Name: "target", Needs: healthcheck.NeedsTarget,
		Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			return result(healthcheck.True, "Fine", ""), nil
		}),
	}
	dead.env.Manager(t, env.ManagerOptions{Namespaces: []string{dead.widget.Namespace, alive.Namespace}, Setup: r.AddToManager})
	<-begun
	// Its turn comes after the other has begun.
	edited := alive.DeepCopyObject().(*Widget)
	edited.Spec.Size++
	g.Expect(dead.env.Client.Patch(t.Context(), edited, client.MergeFrom(alive))).To(Succeed())
	g.Eventually(func() []metav1.Condition { return read(t, dead.env.Client, alive).Status.Conditions }, patience).Should(
		ContainElement(HaveField("ObservedGeneration", BeEquivalentTo(2))))
}
