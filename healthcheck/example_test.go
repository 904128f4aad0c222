package healthcheck_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// The worst status wins. A known failure is not hidden by a check that could not
// be carried out.
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

// Something that takes its time is Progressing and has a deadline. Nothing else has
// to be remembered: past the deadline the very same result is False.
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

// A registration is all that the engine needs to know about a kind. AddToManager
// makes a controller of it.
func ExampleRegistration() {
	hasRoom := func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if in.Object.Spec.Size > 10 {
			return healthcheck.Result{Status: healthcheck.False, Reason: "TooLarge", Message: "Widget is larger than 10"}, nil
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fits"}, nil
	}
	widgets := &healthcheck.Reconciler[*Widget]{Registration: healthcheck.Registration[*Widget]{
		Name: "widgets",
		New:  func() *Widget { return &Widget{} },
		Conditions: []healthcheck.ConditionChecks[*Widget]{{
			Type:   "Healthy",
			Checks: []healthcheck.NamedCheck[*Widget]{{Name: "room", Check: healthcheck.CheckFunc[*Widget](hasRoom)}},
		}},
		SyncPeriod: 10 * time.Minute,
	}}
	fmt.Println(widgets.Validate())

	// With a manager at hand this is the manager's client, and
	// widgets.AddToManager(mgr) is all that remains to be done.
	var c client.Client
	widgets.Store = healthcheck.Metav1Store[*Widget]{Client: c, FieldOwner: "widget-health"}
	fmt.Println(widgets.Validate())
	// Output:
	// registration "widgets" needs New and Store
	// <nil>
}
