package healthcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// newNegativeHarness returns a harness with the condition Degraded, which is True when the object is not healthy.
func newNegativeHarness(t *testing.T, result healthcheck.Result) *harness {
	t.Helper()
	f := newHarness(t, result)
	f.Conditions[0].Type, f.Conditions[0].Negative = "Degraded", true
	return f
}

// TestNegative: a healthy object is True for the check, and False in the condition.
func TestNegative(t *testing.T) {
	for found, want := range map[healthcheck.Status]metav1.ConditionStatus{
		healthcheck.True: metav1.ConditionFalse, healthcheck.False: metav1.ConditionTrue,
		healthcheck.Unknown: metav1.ConditionUnknown, healthcheck.Progressing: metav1.ConditionUnknown,
	} {
		t.Run(string(found), func(t *testing.T) {
			f := newNegativeHarness(t, healthcheck.Result{Status: found, Reason: "Found", Deadline: in(time.Minute)})
			for range 2 {
				f.reconcile(t)
			}
			stored := f.stored(t)
			if len(stored.Status.Conditions) != 1 || stored.Status.Conditions[0].Status != want {
				t.Errorf("conditions are %+v, want Degraded=%s", stored.Status.Conditions, want)
			}
			if len(f.transitions) != 1 || string(f.transitions[0].To.Status) != string(want) || f.transitions[0].Result.Status != found {
				t.Errorf("transitions are %+v", f.transitions)
			}
			evaluation, err := f.Evaluate(t.Context(), stored)
			if err != nil || len(evaluation.Conditions) != 1 || string(evaluation.Conditions[0].Status) != string(want) {
				t.Errorf("evaluation is %+v, %v", evaluation, err)
			}
		})
	}
}

// TestNegativeKeepsStill: while nothing changes, nothing is written, and the transition time stays.
func TestNegativeKeepsStill(t *testing.T) {
	f := newNegativeHarness(t, result(healthcheck.False, "Broken", "disk is full"))
	f.reconcile(t)
	before := f.stored(t)
	f.clock.SetTime(in(time.Hour))
	f.reconcile(t)
	if got := f.stored(t).ResourceVersion; got != before.ResourceVersion {
		t.Errorf("resourceVersion went from %s to %s, want no write", before.ResourceVersion, got)
	}
	f.result = result(healthcheck.True, "Fine", "")
	f.reconcile(t)
	c := f.stored(t).Status.Conditions[0]
	if c.Status != metav1.ConditionFalse || !c.LastTransitionTime.Time.Equal(in(time.Hour)) {
		t.Errorf("condition is %+v", c)
	}
}

// TestNegativeInChecks: the check, the summary and the damping see the polarity of the check.
func TestNegativeInChecks(t *testing.T) {
	f := newNegativeHarness(t, result(healthcheck.True, "Fine", ""))
	var seen []healthcheck.Status
	f.Conditions[0].Damping = healthcheck.Damping{Failures: 2}
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if in.Current != nil {
			seen = append(seen, in.Current.Status)
		}
		return f.result, nil
	})
	f.Conditions[0].Summary = func(_ []healthcheck.NamedResult, merged healthcheck.Result) string {
		return "it is " + string(merged.Status)
	}
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: f.Name}
	f.reconcile(t)
	f.result = result(healthcheck.False, "Broken", "")
	var stored []string
	for i := range 3 {
		f.clock.SetTime(in(time.Duration(i) * time.Minute))
		f.reconcile(t)
		c := f.stored(t).Status.Conditions[0]
		stored = append(stored, string(c.Status)+" "+c.Message)
	}
	if diff := cmp.Diff([]string{"False it is True", "True it is False", "True it is False"}, stored); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]healthcheck.Status{healthcheck.True, healthcheck.True, healthcheck.False}, seen); diff != "" {
		t.Errorf("the check saw (-want +got):\n%s", diff)
	}
}

// TestNegativeEvents: True is a Warning.
func TestNegativeEvents(t *testing.T) {
	f := newNegativeHarness(t, result(healthcheck.True, "Fine", ""))
	recorder := events.NewFakeRecorder(10)
	f.Recorder = recorder
	f.reconcile(t)
	f.result = result(healthcheck.False, "Broken", "disk is full")
	f.reconcile(t)
	close(recorder.Events)
	var got []string
	for event := range recorder.Events {
		got = append(got, event)
	}
	if diff := cmp.Diff([]string{"Normal Fine Degraded is False", "Warning Broken Degraded is True: disk is full"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestNegativeElsewhere: a custom store gets the stored polarity, and a condition that is left alone or removed is not swapped.
func TestNegativeElsewhere(t *testing.T) {
	f := newNegativeHarness(t, codes(withDeadline(result(healthcheck.Progressing, "RollingOut", ""), in(time.Minute)), "SLOW"))
	f.Store = findingStore{f.env.Client}
	f.reconcile(t)
	want := []Finding{{"Degraded", "Progressing", "RollingOut", "", []string{"SLOW"}, metav1.NewTime(now)}}
	if diff := cmp.Diff(want, f.stored(t).Status.Findings); diff != "" {
		t.Errorf("stored findings (-want +got):\n%s", diff)
	}
	f.clock.SetTime(in(time.Minute))
	f.reconcile(t)
	want[0].State, want[0].Why, want[0].Changed = "True", healthcheck.ReasonDeadlineExceeded, metav1.NewTime(in(time.Minute))
	for _, applicability := range []healthcheck.Applicability{healthcheck.Applies, healthcheck.LeaveAlone} {
		f.applicability = applicability
		f.reconcile(t)
		if diff := cmp.Diff(want, f.stored(t).Status.Findings); diff != "" {
			t.Errorf("stored findings at the deadline (-want +got):\n%s", diff)
		}
	}
	f.applicability = healthcheck.DoesNotApply
	f.reconcile(t)
	if got := f.stored(t).Status.Findings; len(got) != 0 {
		t.Errorf("stored findings are %+v, want none", got)
	}
}
