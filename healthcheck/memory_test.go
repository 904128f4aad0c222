package healthcheck_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// memory is a fixture without an API server.
type memory struct {
	*fixture
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
	f := &memory{writer: c, fixture: &fixture{widget: widget, clock: testingclock.NewFakePassiveClock(now)}}
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
