package healthcheck

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestHungCallsAreNotMadeAgain: a call that does not return costs one goroutine, not one for each run.
func TestHungCallsAreNotMadeAgain(t *testing.T) {
	pass := CheckFunc[*corev1.Pod](func(context.Context, Input[*corev1.Pod]) (Result, error) {
		return Result{Status: True, Reason: "Fine"}, nil
	})
	for name, needs := range map[string]Needs{"a check": 0, "a target": NeedsTarget} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, hangs := 0, make(chan struct{})
				hang := func() {
					begun++
					<-hangs
				}
				check := pass
				if needs == 0 {
					check = func(context.Context, Input[*corev1.Pod]) (Result, error) {
						hang()
						return Result{Status: True, Reason: "Fine"}, nil
					}
				}
				r := &Reconciler[*corev1.Pod]{Registration: Registration[*corev1.Pod]{
					CheckTimeout: 3 * time.Second,
					Targets: TargetsFunc[*corev1.Pod](func(context.Context, *corev1.Pod) (client.Reader, error) {
						hang()
						return nil, nil
					}),
					Conditions: []ConditionChecks[*corev1.Pod]{{Type: "Ready", Checks: []NamedCheck[*corev1.Pod]{{Name: "c", Check: check, Needs: needs}}}},
				}}
				look := func(pod string) Result {
					obj := &corev1.Pod{}
					obj.Name = pod
					outcomes, err := r.checkConditions(t.Context(), r.newRun(obj, nil, &r.hung, testNow), nil)
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					return outcomes[0].result
				}
				for range 3 {
					if got := look("a"); got.Reason != ReasonCheckTimedOut || got.Message != "check c did not answer within 3s" {
						t.Errorf("got %+v", got)
					}
				}
				if begun != 1 {
					t.Errorf("it has begun %d times, want once", begun)
				}
				look("b")
				if begun != 2 {
					t.Error("another object has to wait for it")
				}
				close(hangs)
				synctest.Wait()
				if got := look("a"); got.Status != True {
					t.Errorf("after it has ended: %+v", got)
				}
			})
		})
	}
}

// TestPrecheckBeforeAHungOne: a precheck that hangs does not keep the one before it from deciding.
func TestPrecheckBeforeAHungOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type pod = *corev1.Pod
		hangs, paused := make(chan struct{}), false
		r := &Reconciler[pod]{Registration: Registration[pod]{
			CheckTimeout: 3 * time.Second,
			Conditions: []ConditionChecks[pod]{{
				Type: "Ready",
				Prechecks: []Precheck[pod]{
					func(context.Context, Input[pod]) (Applicability, error) {
						if paused {
							return LeaveAlone, nil
						}
						return Applies, nil
					},
					func(context.Context, Input[pod]) (Applicability, error) { <-hangs; return Applies, nil },
				},
				Checks: []NamedCheck[pod]{NewCheck("c", func(context.Context, Input[pod]) (Result, error) {
					return Result{Status: True, Reason: "Fine"}, nil
				})},
			}},
		}}
		look := func() outcome {
			outcomes, err := r.checkConditions(t.Context(), r.newRun(&corev1.Pod{}, nil, &r.hung, testNow), nil)
			if err != nil {
				t.Fatal(err)
			}
			return outcomes[0]
		}
		look() // the second precheck hangs
		paused = true
		if got := look(); got.applicability != LeaveAlone {
			t.Errorf("it is paused, and gets %s %s %q", got.result.Status, got.result.Reason, got.result.Message)
		}
		close(hangs)
	})
}
