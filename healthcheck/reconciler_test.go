package healthcheck_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

func TestVerdictIsStored(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "Broken", "disk is full"))
	f.reconcile(t)
	want := []metav1.Condition{{
		Type: "Healthy", Status: metav1.ConditionFalse, Reason: "Broken", Message: "disk is full",
		ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(now),
	}}
	if diff := cmp.Diff(want, f.stored(t).Status.Conditions); diff != "" {
		t.Errorf("stored conditions (-want +got):\n%s", diff)
	}
	if len(f.transitions) != 1 || f.transitions[0].From.Status != "" || f.transitions[0].To.Status != healthcheck.False || f.transitions[0].At.IsZero() {
		t.Errorf("transitions are %+v, want one from nothing to False", f.transitions)
	}
}

func TestNothingIsWrittenInSteadyState(t *testing.T) {
	for name, given := range map[string]healthcheck.Result{
		"true":               result(healthcheck.True, "Fine", ""),
		"false":              result(healthcheck.False, "Broken", "disk is full"),
		"progressing":        withDeadline(result(healthcheck.Progressing, "R", "m"), in(time.Hour)),
		"codes have no room": codes(result(healthcheck.False, "R", "m"), "A"),
		"no reason":          result(healthcheck.True, "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, given)
			f.reconcile(t)
			version := f.stored(t).ResourceVersion
			for range 3 {
				f.clock.SetTime(f.clock.Now().Add(time.Minute))
				f.reconcile(t)
			}
			if got := f.stored(t).ResourceVersion; got != version {
				t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
			}
			if len(f.transitions) != 1 {
				t.Errorf("there were %d transitions, want the first only", len(f.transitions))
			}
		})
	}
}

func TestTransitionTime(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "Broken", "disk is full"))
	f.reconcile(t)
	steps := []struct {
		name  string
		given healthcheck.Result
		since time.Time
	}{
		{"another message", result(healthcheck.False, "Broken", "two disks are full"), now},
		{"another reason", result(healthcheck.False, "Worse", "three disks are full"), now},
		{"another status", result(healthcheck.True, "Fine", ""), in(3 * time.Minute)},
	}
	for i, step := range steps {
		f.clock.SetTime(in(time.Duration(i+1) * time.Minute))
		f.result = step.given
		f.reconcile(t)
		got := f.stored(t).Status.Conditions[0]
		if got.Reason != step.given.Reason || got.Message != step.given.Message || !got.LastTransitionTime.Time.Equal(step.since) {
			t.Errorf("%s: stored %+v, want it since %v", step.name, got, step.since)
		}
	}
}

func TestDeadlineIsKept(t *testing.T) {
	f := newHarness(t, withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(90*time.Second)))
	f.SyncPeriod = time.Hour
	if got := f.reconcile(t).RequeueAfter; got != 90*time.Second {
		t.Errorf("requeued after %s, want the deadline", got)
	}
	if got := f.stored(t).Status.Conditions[0].Status; got != metav1.ConditionUnknown {
		t.Errorf("stored %s, want Unknown until the deadline", got)
	}
	f.clock.SetTime(in(90 * time.Second))
	if got := f.reconcile(t).RequeueAfter; got < time.Hour || got > 66*time.Minute {
		t.Errorf("requeued after %s, want the period, give or take a tenth", got)
	}
	if got := f.stored(t).Status.Conditions[0].Status; got != metav1.ConditionFalse {
		t.Errorf("stored %s, want False at the deadline", got)
	}
}

func TestNewGenerationIsObserved(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t)
	widget := f.stored(t)
	widget.Spec.Size = 3
	if err := f.env.Client.Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	if got := f.stored(t).Status.Conditions[0].ObservedGeneration; got != 2 {
		t.Errorf("observedGeneration is %d, want 2", got)
	}
	if len(f.transitions) != 1 {
		t.Errorf("there were %d transitions, want the first only", len(f.transitions))
	}
}

func TestObjectIsGone(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	if err := f.env.Client.Delete(t.Context(), f.widget); err != nil {
		t.Fatal(err)
	}
	if got := f.reconcile(t).RequeueAfter; got != 0 {
		t.Errorf("requeued after %s, want never", got)
	}
	f.Client = stale{f.env.Client, f.widget}
	f.reconcile(t)
	if err := f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.widget), &Widget{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("reading the widget: %v, want that it does not exist", err)
	}
	if len(f.transitions) != 0 {
		t.Errorf("transitions are %+v, want none", f.transitions)
	}
}
