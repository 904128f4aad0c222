package healthcheck_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestClocksOutliveTheProcess: each run has a new engine, and the clock continues.
func TestClocksOutliveTheProcess(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Minute})
	restart := func() {
		old := f.Reconciler
		f.Reconciler = &healthcheck.Reconciler[*Widget]{Client: old.Client, Clock: old.Clock, Registration: old.Registration}
	}
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "widgets"}

	if again := f.reconcile(t); again.RequeueAfter != time.Minute {
		t.Errorf("it is looked at again after %s, want at the deadline", again.RequeueAfter)
	}
	restart()
	f.clock.SetTime(in(30 * time.Second))
	before := f.stored(t).ResourceVersion
	if again := f.reconcile(t); again.RequeueAfter != 30*time.Second {
		t.Errorf("it is looked at again after %s, want at the deadline", again.RequeueAfter)
	}
	if after := f.stored(t).ResourceVersion; after != before {
		t.Error("nothing has changed, and something was written")
	}
	restart()
	f.clock.SetTime(in(time.Minute))
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "False" {
		t.Errorf("past the deadline the condition is %+v", c)
	}

	f.result = healthcheck.Result{Status: healthcheck.Progressing, Reason: "Scaling", Within: time.Minute}
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Status != "Unknown" || c.Reason != "Scaling" {
		t.Errorf("a progress that has just begun makes the condition %+v", c)
	}
	f.result = healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}
	f.reconcile(t)
	stored := f.stored(t)
	if stored.Status.Conditions[0].Status != "True" || len(stored.Annotations) != 0 {
		t.Errorf("it has arrived, and has %+v and annotations %v", stored.Status.Conditions, stored.Annotations)
	}
}

// TestNobodyKeepsTheClock: without a store for clocks the result is invalid; it does not get a new clock each time.
func TestNobodyKeepsTheClock(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Minute})
	f.reconcile(t)
	if c := f.stored(t).Status.Conditions[0]; c.Reason != healthcheck.ReasonInvalidResult {
		t.Errorf("the condition is %+v", c)
	}
}

// TestClocksOfSeveralRegistrations: they do not overwrite each other.
func TestClocksOfSeveralRegistrations(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	one, two := healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "one"}, healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: "two"}
	for _, store := range []healthcheck.AnnotationProgress[*Widget]{one, two} {
		widget := f.stored(t)
		if err := store.Save(t.Context(), widget, []healthcheck.Progress{{Condition: "Healthy", Check: store.Name, Cause: "c", Since: now}}); err != nil {
			t.Fatal(err)
		}
		if widget.ResourceVersion != f.stored(t).ResourceVersion {
			t.Error("the object does not have the version of the write")
		}
	}
	got := append(one.Load(f.stored(t)), two.Load(f.stored(t))...)
	want := []healthcheck.Progress{{Condition: "Healthy", Check: "one", Cause: "c", Since: now}, {Condition: "Healthy", Check: "two", Cause: "c", Since: now}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}

	// A new object of the same name does not get the old one's clocks.
	old := f.stored(t)
	old.UID = "of-another"
	if err := one.Save(t.Context(), old, nil); client.IgnoreNotFound(err) == nil {
		t.Error("the clocks of a namesake were written")
	}
}

// TestClocksOfAnyName: the name of a registration need not be valid in an annotation.
func TestClocksOfAnyName(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	want := []healthcheck.Progress{{Condition: "Healthy", Check: "c", Cause: "c", Since: now}}
	for _, name := range []string{"has blanks", "a/b", strings.Repeat("long-", 40), "Größe"} {
		store := healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: name}
		if err := store.Save(t.Context(), f.stored(t), want); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, store.Load(f.stored(t))); diff != "" {
			t.Errorf("stored as %s (-want +got):\n%s", name, diff)
		}
	}
	if got := len(f.stored(t).Annotations); got != 4 {
		t.Errorf("there are %d annotations, want one for each", got)
	}
}
