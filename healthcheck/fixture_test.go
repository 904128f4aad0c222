package healthcheck_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// fixture is a Widget on the API server and an engine with the condition Healthy for it.
// The test sets the answers.
type fixture struct {
	*healthcheck.Reconciler[*Widget]
	env    *env.Env
	clock  *testingclock.FakePassiveClock
	widget *Widget
	// result and err are what the check returns; applicability is what the precheck
	// returns.
	result        healthcheck.Result
	err           error
	applicability healthcheck.Applicability
	transitions   []healthcheck.Transition
}

const fieldOwner = "widget-health"

func newFixture(t *testing.T, result healthcheck.Result) *fixture {
	t.Helper()
	e := env.Get(t)
	f := &fixture{env: e, clock: testingclock.NewFakePassiveClock(now), widget: create(t, e), result: result}
	f.Reconciler = &healthcheck.Reconciler[*Widget]{
		Client: e.Client,
		Clock:  f.clock,
		Registration: healthcheck.Registration[*Widget]{
			Name:  "widgets",
			New:   func() *Widget { return &Widget{} },
			Store: healthcheck.Metav1Store[*Widget]{Client: e.Client, FieldOwner: fieldOwner},
			Conditions: []healthcheck.ConditionChecks[*Widget]{{
				Type: "Healthy",
				Prechecks: []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
					return f.applicability, nil
				}},
				Checks: []healthcheck.NamedCheck[*Widget]{{Name: "answer", Check: f.check()}},
			}},
			OnTransition: func(_ context.Context, _ *Widget, transition healthcheck.Transition) {
				f.transitions = append(f.transitions, transition)
			},
		},
	}
	return f
}

func (f *fixture) check() healthcheck.CheckFunc[*Widget] {
	return func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return f.result, f.err }
}

// reconcile runs the engine once, and fails the test if that fails.
func (f *fixture) reconcile(t *testing.T) ctrl.Result {
	t.Helper()
	result, err := f.Reconcile(t.Context(), f.request())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func (f *fixture) request() ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.widget)}
}

// stored returns the Widget as it is stored now.
func (f *fixture) stored(t *testing.T) *Widget {
	t.Helper()
	return read(t, f.env.Client, f.widget)
}

// writeForeign stores a condition under another field owner.
func (f *fixture) writeForeign(t *testing.T, condition metav1.Condition) {
	t.Helper()
	widget := f.stored(t)
	widget.Status.Conditions = append(widget.Status.Conditions, condition)
	if err := f.env.Client.Status().Update(t.Context(), widget, client.FieldOwner("somebody-else")); err != nil {
		t.Fatal(err)
	}
}

// foreign is a condition that is not ours.
func foreign(conditionType string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: metav1.ConditionFalse, Reason: "Foreign", LastTransitionTime: metav1.NewTime(in(-1).Local().Truncate(1e9)),
	}
}
