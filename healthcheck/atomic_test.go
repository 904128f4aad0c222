package healthcheck_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// An AtomicWidget is a Widget whose definition does not make its conditions a map by type.
type AtomicWidget struct{ Widget }

// AtomicWidgetList is a list of AtomicWidgets.
type AtomicWidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []AtomicWidget `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (w *AtomicWidget) DeepCopyObject() runtime.Object {
	return &AtomicWidget{*w.Widget.DeepCopyObject().(*Widget)}
}

// DeepCopyObject implements runtime.Object.
func (l *AtomicWidgetList) DeepCopyObject() runtime.Object {
	c := *l
	return &c
}

// TestAtomicConditionsAreNotWiped: if conditions have no keys, applying one of them would remove all others.
func TestAtomicConditionsAreNotWiped(t *testing.T) {
	for name, tt := range map[string]struct {
		other string
		first bool
	}{
		"somebody else comes later":             {other: "somebody-else"},
		"somebody else was there":               {"somebody-else", true},
		"a namesake of ours that updates":       {other: fieldOwner},
		"a namesake of ours that updated first": {fieldOwner, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newAtomicHarness(t)
			if !tt.first {
				// Without other conditions, nothing can be lost.
				if err := f.reconcile(t); err != nil {
					t.Error(err)
				}
			}
			stored := f.stored(t)
			stored.Status.Conditions = append(stored.Status.Conditions, foreign("Foreign"))
			if err := f.client.Status().Update(t.Context(), stored, client.FieldOwner(tt.other)); err != nil {
				t.Fatal(err)
			}
			before := f.stored(t).Status.Conditions
			f.result = result(healthcheck.False, "Broken", "")
			err := f.reconcile(t)
			if err == nil || apierrors.IsConflict(err) {
				t.Fatalf("error is %v, want one that is no mere conflict", err)
			}
			const want = "+listType=map and +listMapKey=type"
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error is %q, want that it says %q", err, want)
			}
			if diff := cmp.Diff(before, f.stored(t).Status.Conditions); diff != "" {
				t.Errorf("conditions (-before +after):\n%s", diff)
			}
		})
	}
}

// atomicHarness is an AtomicWidget on the API server, and an engine with the condition Healthy for it.
type atomicHarness struct {
	*healthcheck.Reconciler[*AtomicWidget]
	client client.Client
	key    client.ObjectKey
	result healthcheck.Result
}

func newAtomicHarness(t *testing.T) *atomicHarness {
	t.Helper()
	e := env.Get(t)
	widget := &AtomicWidget{Widget{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "w"}}}
	if err := e.Client.Create(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f := &atomicHarness{client: e.Client, key: client.ObjectKeyFromObject(widget), result: result(healthcheck.True, "Fine", "")}
	f.Reconciler = &healthcheck.Reconciler[*AtomicWidget]{
		Client: e.Client, Clock: testingclock.NewFakePassiveClock(now),
		Registration: healthcheck.Registration[*AtomicWidget]{
			Name: "atomic", New: func() *AtomicWidget { return &AtomicWidget{} },
			Store: healthcheck.Metav1Store[*AtomicWidget]{Client: e.Client, FieldOwner: fieldOwner},
			Conditions: []healthcheck.ConditionChecks[*AtomicWidget]{{
				Type: "Healthy", Checks: []healthcheck.NamedCheck[*AtomicWidget]{{Name: "answer", Check: healthcheck.CheckFunc[*AtomicWidget](
					func(context.Context, healthcheck.Input[*AtomicWidget]) (healthcheck.Result, error) {
						return f.result, nil
					})}},
			}},
		},
	}
	return f
}

func (f *atomicHarness) reconcile(t *testing.T) error {
	t.Helper()
	_, err := f.Reconcile(t.Context(), ctrl.Request{NamespacedName: f.key})
	return err
}

func (f *atomicHarness) stored(t *testing.T) *AtomicWidget {
	t.Helper()
	widget := &AtomicWidget{}
	if err := f.client.Get(t.Context(), f.key, widget); err != nil {
		t.Fatal(err)
	}
	return widget
}

// TestConditionThatSomebodyMeddledWith: if conditions have keys, a forced apply restores ours and takes
// nothing else.
func TestConditionThatSomebodyMeddledWith(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t)
	f.writeForeign(t, foreign("Foreign"))
	widget := f.stored(t)
	for i := range widget.Status.Conditions {
		widget.Status.Conditions[i].Message = "meddled"
	}
	if err := f.env.Client.Status().Update(t.Context(), widget, client.FieldOwner("somebody-else")); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	messages := map[string]string{}
	for _, c := range f.stored(t).Status.Conditions {
		messages[c.Type] = c.Message
	}
	if diff := cmp.Diff(map[string]string{"Foreign": "meddled", "Healthy": ""}, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
