package healthcheck_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// harness is a Widget on the API server and an engine with the condition Healthy for it.
// The test sets the answers.
type harness struct {
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

func newHarness(t *testing.T, result healthcheck.Result) *harness {
	t.Helper()
	e := env.Get(t)
	f := &harness{env: e, clock: testingclock.NewFakePassiveClock(now), widget: create(t, e), result: result}
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

func (f *harness) check() healthcheck.CheckFunc[*Widget] {
	return func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return f.result, f.err }
}

// reconcile runs the engine once, and fails the test if that fails.
func (f *harness) reconcile(t *testing.T) ctrl.Result {
	t.Helper()
	result, err := f.Reconcile(t.Context(), f.request())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func (f *harness) request() ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.widget)}
}

// stored returns the Widget as it is stored now.
func (f *harness) stored(t *testing.T) *Widget {
	t.Helper()
	return read(t, f.env.Client, f.widget)
}

// writeForeign stores a condition under another field owner.
func (f *harness) writeForeign(t *testing.T, condition metav1.Condition) {
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

// memory is a harness without an API server.
type memory struct {
	*harness
	// writer changes the objects.
	writer client.Client
}

// stored returns the Widget as it is now.
func (f *memory) stored(t *testing.T) *Widget {
	t.Helper()
	return read(t, f.writer, f.widget)
}

// inMemory is a Widget in memory, and an engine with conditions for it.
func inMemory(t *testing.T, conditions ...healthcheck.ConditionChecks[*Widget]) *memory {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := addWidget(scheme); err != nil {
		t.Fatal(err)
	}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "w", UID: "1234", Generation: 1}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(widget).Build()
	f := &memory{writer: c, harness: &harness{widget: widget, clock: testingclock.NewFakePassiveClock(now)}}
	f.Reconciler = &healthcheck.Reconciler[*Widget]{
		Client: c, Clock: f.clock,
		Registration: healthcheck.Registration[*Widget]{
			Name: t.Name(), New: func() *Widget { return &Widget{} }, Store: &healthchecktest.Store[*Widget]{}, Conditions: conditions,
			Progress: healthcheck.AnnotationProgress[*Widget]{Client: c, Name: "widgets"},
		},
	}
	return f
}

// condition returns a condition with one check that calls answer.
func condition(conditionType string, answer func() (healthcheck.Result, error)) healthcheck.ConditionChecks[*Widget] {
	return healthcheck.NewCondition(conditionType, healthcheck.NewCheck("answer",
		func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return answer() }))
}

// says returns a function that always gives the same answer.
func says(r healthcheck.Result, err error) func() (healthcheck.Result, error) {
	return func() (healthcheck.Result, error) { return r, err }
}

// kept returns the status of each condition in memory, by type.
func (f *memory) kept() map[string]healthcheck.Status {
	found := map[string]healthcheck.Status{}
	for _, c := range f.Store.Get(f.widget) {
		found[c.Type] = c.Status
	}
	return found
}
