package healthcheck

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestRequeueAfter(t *testing.T) {
	tests := map[string]struct {
		recheckAt time.Time
		period    time.Duration
		want      time.Duration
	}{
		"never":                               {time.Time{}, 0, 0},
		"the period alone":                    {time.Time{}, time.Hour, time.Hour},
		"the recheck time alone":              {deadline, 0, time.Minute},
		"the recheck time before the period":  {deadline, time.Hour, time.Minute},
		"the period before the recheck time":  {deadline, time.Second, time.Second},
		"a recheck time that has just passed": {testNow.Add(-1), time.Hour, time.Second},
		"a recheck time without a unit":       {testNow.Add(30), time.Hour, time.Second},
		"a recheck time that is now":          {testNow, 0, time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := requeueAfter(tt.recheckAt, testNow, tt.period, time.Second); got != tt.want {
				t.Errorf("requeueAfter is %s, want %s", got, tt.want)
			}
		})
	}
}

// nowhere is a store that keeps nothing.
type nowhere struct{}

func (nowhere) Get(*corev1.Pod) []Condition                           { return nil }
func (nowhere) Normalize(c Condition) Condition                       { return c }
func (nowhere) Apply(context.Context, *corev1.Pod, []Condition) error { return nil }
func (nowhere) Remove(context.Context, *corev1.Pod, []string) error   { return nil }

// TestBackoffIsOne: an object has one back-off, whether the retry is left to the queue or has its own time because
// something else is due.
func TestBackoffIsOne(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = "p", "n"
	var (
		due     time.Duration
		failing = true
	)
	check := CheckFunc[*corev1.Pod](func(context.Context, Input[*corev1.Pod]) (Result, error) {
		if failing {
			return Result{}, errTest
		}
		return fine, nil
	})
	rechecked := CheckFunc[*corev1.Pod](func(_ context.Context, in Input[*corev1.Pod]) (Result, error) {
		r := fine
		if due > 0 {
			r.RecheckAt = in.Now.Add(due)
		}
		return r, nil
	})
	r := &Reconciler[*corev1.Pod]{
		Client: fake.NewFakeClient(pod), Clock: testingclock.NewFakePassiveClock(testNow),
		Registration: Registration[*corev1.Pod]{
			New: func() *corev1.Pod { return &corev1.Pod{} }, Store: nowhere{},
			Conditions: []ConditionChecks[*corev1.Pod]{{Type: "Ready", Checks: []NamedCheck[*corev1.Pod]{{Name: "a", Check: check}, {Name: "b", Check: rechecked}}}},
		},
	}
	req := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(pod)}
	// The queue calls When of its rate limiter after an error, and Forget otherwise.
	queue := r.rateLimiter()
	look := func() time.Duration {
		got, err := r.Reconcile(t.Context(), req)
		if err != nil {
			return queue.When(req)
		}
		queue.Forget(req)
		return got.RequeueAfter
	}
	last := time.Duration(0)
	for range 9 {
		due = 29*time.Second - due
		again := look()
		if again <= last {
			t.Errorf("it is tried again after %s, and was after %s", again, last)
		}
		last = again
	}
	failing, due = false, 0
	if again := look(); again != 0 {
		t.Errorf("it is tried again after %s, and all is well", again)
	}
	failing = true
	if again := look(); again != firstBackoff {
		t.Errorf("after a success it is tried again after %s", again)
	}
}
