package healthcheck_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestClockOfAnOldObject: the object has changed since it was judged. Starting a clock must not make the old version pass
// for the new one, or changes of others would be undone.
func TestClockOfAnOldObject(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "widgets"}
	other := result(healthcheck.True, "Fine", "")
	f.Conditions = append(f.Conditions, healthcheck.ConditionChecks[*Widget]{
		Type: "Other", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "other", Check: healthcheck.CheckFunc[*Widget](
			func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return other, nil })}},
	})
	f.reconcile(t)
	seen := f.stored(t)
	f.writeForeign(t, foreign("Foreign"))

	f.result = healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Minute}
	other = result(healthcheck.Skipped, "NotHere", "")
	f.Client = stale{f.env.Client, seen}
	if got := f.reconcile(t).RequeueAfter; got != time.Second {
		t.Errorf("requeued after %s, want a second", got)
	}
	if got := types(f.stored(t)); len(got) != 3 {
		t.Errorf("conditions are %v, want all three kept", got)
	}

	f.Client = f.env.Client
	f.reconcile(t)
	if got := types(f.stored(t)); len(got) != 2 || got[0] != "Foreign" {
		t.Errorf("conditions after the second try are %v", got)
	}
}

// TestHungCheckReadsItsObject: a check that has not returned at its timeout still reads its object while the verdict is
// written. The race detector finds conflicts.
func TestHungCheckReadsItsObject(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	f.CheckTimeout = time.Millisecond
	stop, ended := make(chan struct{}), make(chan struct{})
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		defer close(ended)
		for {
			select {
			case <-stop:
				return healthcheck.Result{}, nil
			default:
				_ = in.Object.DeepCopyObject()
			}
		}
	})
	_, err := f.Reconcile(t.Context(), f.request())
	close(stop)
	<-ended
	if err == nil {
		t.Error("a timeout is no error")
	}
	if got := types(f.stored(t)); len(got) != 1 {
		t.Errorf("conditions are %v, want one", got)
	}
}

// TestStatusThatIsNotServed: the API server answers NotFound for the status of a kind without that subresource, as for a
// deleted object. The first must not look like the second.
func TestStatusThatIsNotServed(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Store = unserved{f.Store}
	if got := f.reconcile(t).RequeueAfter; got != time.Second {
		t.Errorf("the first time it is looked at again after %s, want a second: it may be gone", got)
	}
	_, err := f.Reconcile(t.Context(), f.request())
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "+kubebuilder:subresource:status") {
		t.Errorf("error is %v, want that nothing can be written, and what the kind may lack", err)
	}
	if len(f.transitions) != 0 {
		t.Errorf("told of %v, and nothing was stored", f.transitions)
	}
}

// unserved is a store for a kind without a status subresource.
type unserved struct{ healthcheck.Store[*Widget] }

func (unserved) Apply(context.Context, *Widget, []healthcheck.Condition) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: widgetVersion.Group, Resource: "widgets"}, "w")
}

// TestReasonThatTheAPIServerWouldRefuse: it is fixed too. Most kinds require one word.
func TestReasonThatTheAPIServerWouldRefuse(t *testing.T) {
	store := healthcheck.Metav1Store[*Widget]{}
	for reason, want := range map[string]string{
		"NodeNotReady": "NodeNotReady", "cluster:A,b_c1": "cluster:A,b_c1", "": "NotGiven",
		"not ready": "not_ready", "1st": "R1st", "Done.": "Done", "Done:": "Done", "---": "NotGiven", "Größe": "Gr_e",
	} {
		t.Run(reason, func(t *testing.T) {
			got := store.Normalize(healthcheck.Condition{Type: "Ready", Status: healthcheck.True, Reason: reason})
			if got.Reason != want {
				t.Errorf("the reason is %q, want %q", got.Reason, want)
			}
			if again := store.Normalize(got); !cmp.Equal(again, got) {
				t.Errorf("normalized again it is %+v", again)
			}
		})
	}
}
