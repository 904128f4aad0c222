package healthcheck_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestEvaluateIsReconcileWithoutWrites: Evaluate returns what Reconcile then stores, and leaves no trace.
func TestEvaluateIsReconcileWithoutWrites(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.Name = f.widget.Namespace // unique, however often the test runs
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: f.Name}
	other := result(healthcheck.True, "Fine", "")
	f.Conditions = append(f.Conditions, healthcheck.ConditionChecks[*Widget]{
		Type: "Other", Damping: healthcheck.Damping{Failures: 2}, Checks: []healthcheck.NamedCheck[*Widget]{{Name: "other", Check: healthcheck.CheckFunc[*Widget](
			func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return other, nil })}},
	})
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"the first", func() {}},
		{"nothing", func() {}},
		{"a clock begins", func() {
			f.result = healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Minute}
		}},
		{"it has run out", func() { f.clock.SetTime(in(time.Minute)) }},
		{"one is damped", func() { other.Status = healthcheck.False }},
		{"one cannot tell", func() { f.err = errCheck }},
		{"one goes", func() { f.err, f.applicability = nil, healthcheck.DoesNotApply }},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.change()
			before := f.stored(t)
			got, err := f.evaluateInSilence(t, before)
			next, reconciled := f.Reconcile(t.Context(), f.request())
			if !errors.Is(err, f.err) || (reconciled != nil && err == nil) {
				t.Errorf("error is %v, and %v for Reconcile", err, reconciled)
			}
			if err == nil && !got.RecheckAt.IsZero() && got.RecheckAt.Sub(f.clock.Now()) != next.RequeueAfter {
				t.Errorf("it is looked at again at %s, and Reconcile does so after %s", got.RecheckAt, next.RequeueAfter)
			}
			stored := f.Store.Get(f.stored(t))
			if diff := cmp.Diff(stored, got.Conditions, cmp.Comparer(time.Time.Equal)); diff != "" {
				t.Errorf("evaluated (-stored +evaluated):\n%s", diff)
			}
			if gone := len(f.Store.Get(before)) - len(stored); len(got.Removed) != max(gone, 0) {
				t.Errorf("%v would be removed, and %d are", got.Removed, gone)
			}
		})
	}
}

// evaluateInSilence calls Evaluate, and fails the test if that leaves any trace.
func (f *harness) evaluateInSilence(t *testing.T, widget *Widget) (healthcheck.Evaluation, error) {
	t.Helper()
	counted := func() string {
		families, err := only(t, f.Name).Gather()
		return fmt.Sprint(families, err)
	}
	kept, told, before := widget.DeepCopyObject().(*Widget), len(f.transitions), counted()
	got, err := f.Evaluate(t.Context(), widget)
	if f.stored(t).ResourceVersion != kept.ResourceVersion || len(f.transitions) != told {
		t.Error("something was written or told")
	}
	if after := counted(); after != before {
		t.Errorf("something was counted: %s", after)
	}
	if diff := cmp.Diff(kept, widget); diff != "" {
		t.Errorf("the object was changed (-want +got):\n%s", diff)
	}
	return got, err
}

// TestEvaluateThatIsCutOff: a cancelled Evaluate returns nothing.
func TestEvaluateThatIsCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := (&healthcheck.Reconciler[*Widget]{Registration: widgets}).Evaluate(ctx, &Widget{})
	if !errors.Is(err, context.Canceled) || len(got.Conditions) != 0 {
		t.Errorf("got %+v and error %v", got, err)
	}
}

var widgets = healthcheck.Registration[*Widget]{
	Name: "widgets", New: func() *Widget { return &Widget{} }, Store: healthcheck.Metav1Store[*Widget]{},
	Conditions: []healthcheck.ConditionChecks[*Widget]{{
		Type: "Healthy",
		Checks: []healthcheck.NamedCheck[*Widget]{{Name: "room", Check: healthcheck.CheckFunc[*Widget](
			func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
				if in.Object.Spec.Size > 10 {
					return healthcheck.Result{Status: healthcheck.False, Reason: "TooLarge", Message: "Widget is larger than 10"}, nil
				}
				return healthcheck.Result{Status: healthcheck.True, Reason: "Fits"}, nil
			},
		)}},
	}},
}

// Evaluate returns what would be stored. The object need not exist in a cluster.
func ExampleReconciler_Evaluate() {
	engine := &healthcheck.Reconciler[*Widget]{Registration: widgets}
	for _, size := range []int{3, 30} {
		evaluation, err := engine.Evaluate(context.Background(), &Widget{Spec: WidgetSpec{Size: size}})
		if err != nil {
			fmt.Println(err)
		}
		for _, c := range evaluation.Conditions {
			fmt.Printf("%d: %s is %s: %s\n", size, c.Type, c.Status, c.Reason)
		}
	}
	// Output:
	// 3: Healthy is True: Fits
	// 30: Healthy is False: TooLarge
}

// TestEvaluationLeavesNoneBehind: after an Evaluate that was given up, the engine must not store that the check does not
// answer.
func TestEvaluationLeavesNoneBehind(t *testing.T) {
	asked, done := make(chan struct{}, 1), make(chan struct{})
	defer close(done)
	preview := true
	f := inMemory(t, condition("Probed", func() (healthcheck.Result, error) {
		if preview {
			asked <- struct{}{}
			<-done
		}
		return result(healthcheck.True, "Fine", ""), nil
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := f.Evaluate(ctx, f.stored(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	preview = false
	f.reconcile(t)
	if got := f.kept()["Probed"]; got != healthcheck.True {
		t.Errorf("it is %s, and the check has answered", got)
	}
}
