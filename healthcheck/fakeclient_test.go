package healthcheck_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestFakeClient: users test their registrations with the fake client of controller-runtime, which answers an apply without
// a UID.
func TestFakeClient(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := addWidget(scheme); err != nil {
		t.Fatal(err)
	}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "w", UID: "1234"}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(widget).WithStatusSubresource(widget).Build()
	f := &harness{widget: widget, result: result(healthcheck.False, "Broken", "disk is full")}
	f.Reconciler = &healthcheck.Reconciler[*Widget]{
		Client: c, Clock: testingclock.NewFakePassiveClock(now),
		Registration: healthcheck.Registration[*Widget]{
			Name: "widgets", New: func() *Widget { return &Widget{} },
			Store: healthcheck.Metav1Store[*Widget]{Client: c, FieldOwner: fieldOwner},
			Conditions: []healthcheck.ConditionChecks[*Widget]{{
				Type: "Healthy", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "answer", Check: f.check()}},
			}},
		},
	}
	for range 2 {
		if again := f.reconcile(t).RequeueAfter; again != 0 {
			t.Errorf("it is looked at again after %s, want never", again)
		}
		stored := read(t, c, widget).Status.Conditions
		if len(stored) != 1 || stored[0].Reason != "Broken" {
			t.Errorf("conditions are %+v", stored)
		}
	}
}
