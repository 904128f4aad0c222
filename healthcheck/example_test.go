package healthcheck_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// A check is a function from an object to a result.
func ExampleCheckFunc() {
	bound := healthcheck.CheckFunc[*corev1.PersistentVolumeClaim](
		func(_ context.Context, in healthcheck.Input[*corev1.PersistentVolumeClaim]) (healthcheck.Result, error) {
			if in.Object.Status.Phase == corev1.ClaimBound {
				return healthcheck.Result{Status: healthcheck.True, Reason: "Bound"}, nil
			}
			return healthcheck.Result{Status: healthcheck.False, Reason: "NotBound", Message: "Claim has no volume"}, nil
		})

	claim := &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}
	result, err := bound.Check(context.Background(), healthcheck.Input[*corev1.PersistentVolumeClaim]{Object: claim})
	fmt.Println(result.Status, result.Reason, result.Message, err)
	// Output: False NotBound Claim has no volume <nil>
}

// The worst status wins. A check that could not be carried out does not hide a known failure.
func ExampleMerge() {
	merged := healthcheck.Merge(now,
		healthcheck.Result{Status: healthcheck.True, Reason: "Reachable"},
		healthcheck.Result{Status: healthcheck.Unknown, Reason: "CheckFailed", Message: "disk cannot be read"},
		healthcheck.Result{Status: healthcheck.False, Reason: "Overheated", Message: "CPU is too hot"},
	)
	fmt.Println(merged.Status, merged.Reason, merged.Message)

	nothing := healthcheck.Merge(now)
	fmt.Println(nothing.Status, nothing.Reason)
	// Output:
	// False Overheated CPU is too hot
	// Unknown NoResult
}

// Rules other than those of Merge: two of three replicas are enough.
func ExampleFindings() {
	quorum := func(found healthcheck.Findings) healthcheck.Result {
		answering := 0
		for _, r := range found.Results {
			if r.Status == healthcheck.True {
				answering++
			}
		}
		if answering < 2 {
			return found.Merged
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Quorum", RecheckAt: found.Merged.NextChange()}
	}
	replicas := healthcheck.NewCondition[*Widget]("Reachable")
	replicas.Conclude = quorum

	up, down := healthcheck.Result{Status: healthcheck.True, Reason: "Up"}, healthcheck.Result{Status: healthcheck.False, Reason: "Down"}
	for _, results := range [][]healthcheck.Result{{up, down, up}, {down, down, up}} {
		found := healthcheck.Findings{Merged: healthcheck.Merge(now, results...), Now: now}
		for _, r := range results {
			found.Results = append(found.Results, healthcheck.NamedResult{Result: r})
		}
		fmt.Println(replicas.Conclude(found).Status)
	}
	// Output:
	// True
	// False
}

// Ready sums up the other conditions. Degraded is True if something is wrong, but its check answers like any other: True is
// healthy.
func ExampleRoot() {
	upgraded := func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Upgraded"}, nil
	}
	hasRoom := func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if in.Object.Spec.Size > 10 {
			return healthcheck.Result{Status: healthcheck.False, Reason: "TooLarge", Message: "Widget is larger than 10"}, nil
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fits"}, nil
	}
	degraded := healthcheck.NewCondition("Degraded", healthcheck.NewCheck("room", hasRoom))
	degraded.Negative = true
	widgets := healthcheck.New(healthcheck.Registration[*Widget]{
		Name:       "widgets",
		Conditions: []healthcheck.ConditionChecks[*Widget]{healthcheck.NewCondition("Upgraded", healthcheck.NewCheck("version", upgraded)), degraded},
		Root:       healthcheck.Root{Type: "Ready"},
	})

	// The conditions that a Widget would have:
	found, err := widgets.Evaluate(context.Background(), &Widget{Spec: WidgetSpec{Size: 11}})
	for _, c := range found.Conditions {
		fmt.Printf("%s %s %s %q\n", c.Type, c.Status, c.Reason, c.Message)
	}
	fmt.Println(err)
	// Output:
	// Upgraded True Upgraded ""
	// Degraded True TooLarge "Widget is larger than 10"
	// Ready False TooLarge "Degraded: Widget is larger than 10"
	// <nil>
}

// Something that takes time is Progressing and has a deadline. Nothing else must be remembered: past the deadline, the same
// result is False.
func ExampleResult_At() {
	rollingOut := healthcheck.Result{
		Status: healthcheck.Progressing, Reason: "RollingOut", Message: "2 of 3 replicas are updated",
		Deadline: now.Add(10 * time.Minute),
	}
	fmt.Println(rollingOut.At(now).Status)
	fmt.Println("changes in", rollingOut.NextChange().Sub(now))
	fmt.Println(rollingOut.At(now.Add(10 * time.Minute)).Status)
	// Output:
	// Progressing
	// changes in 10m0s
	// False
}

// A registration is all that the engine needs to know about a kind. SetupWithManager makes a controller of it.
func ExampleRegistration() {
	hasRoom := func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if in.Object.Spec.Size > 10 {
			return healthcheck.Result{Status: healthcheck.False, Reason: "TooLarge", Message: "Widget is larger than 10"}, nil
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fits"}, nil
	}
	widgets := healthcheck.New(healthcheck.Registration[*Widget]{
		Name:       "widgets",
		Conditions: []healthcheck.ConditionChecks[*Widget]{healthcheck.NewCondition("Healthy", healthcheck.NewCheck("room", hasRoom))},
		SyncPeriod: 10 * time.Minute,
	})
	// With a manager, only widgets.SetupWithManager(mgr) remains to be called.
	fmt.Println(widgets.Validate())
	// Output:
	// <nil>
}

// An object that is being deleted loses its conditions. A paused one keeps its conditions, and is checked again when the pause
// is over.
func ExampleObjectPrecheck() {
	precheck := func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
		if !in.Object.DeletionTimestamp.IsZero() {
			return healthcheck.DoesNotApply, time.Time{}, nil
		}
		paused, found := in.Object.Annotations["example.com/paused-until"]
		if !found {
			return healthcheck.Applies, time.Time{}, nil
		}
		until, err := time.Parse(time.RFC3339, paused)
		if err != nil || !in.Now.Before(until) {
			return healthcheck.Applies, time.Time{}, err
		}
		return healthcheck.LeaveAlone, until, nil
	}

	registration := healthcheck.Registration[*Widget]{Name: "widgets", Precheck: precheck}
	paused := &Widget{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"example.com/paused-until": "2026-03-01T13:00:00Z"}}}
	answer, until, err := registration.Precheck(context.Background(), healthcheck.Input[*Widget]{Object: paused, Now: now})
	fmt.Println(answer == healthcheck.LeaveAlone, until.Sub(now), err)
	// Output: true 1h0m0s <nil>
}
