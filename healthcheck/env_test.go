package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestEnv: a check gets what it declared, and nothing else.
func TestEnv(t *testing.T) {
	source, target, parent := fake.NewFakeClient(), fake.NewFakeClient(), &corev1.Namespace{}
	r := &Reconciler[*corev1.Pod]{Client: source, Registration: Registration[*corev1.Pod]{
		Targets: TargetsFunc[*corev1.Pod](func(context.Context, *corev1.Pod) (client.Reader, error) { return target, nil }),
		Parent:  func(context.Context, *corev1.Pod) (client.Object, error) { return parent, nil },
	}}
	tests := map[string]struct {
		needs Needs
		want  Env
	}{
		"nothing":    {0, Env{}},
		"the source": {NeedsSource, Env{Source: source}},
		"the target": {NeedsTarget, Env{Target: target}},
		"the parent": {NeedsParent, Env{Parent: parent}},
		"all":        {NeedsSource | NeedsTarget | NeedsParent, Env{Source: source, Target: target, Parent: parent}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := r.surround(&corev1.Pod{}, &r.hung).env(t.Context(), tt.needs)
			if err != nil || got != tt.want {
				t.Errorf("got %+v and error %v, want %+v", got, err, tt.want)
			}
		})
	}
	r.Source = target
	if got, err := r.surround(&corev1.Pod{}, &r.hung).env(t.Context(), NeedsSource); err != nil || got.Source != target {
		t.Errorf("the source that was set is not used: %+v, %v", got, err)
	}
}

// TestUnmetNeeds: an unmet need affects only the checks that declared it.
func TestUnmetNeeds(t *testing.T) {
	var asked atomic.Int32
	r := &Reconciler[*corev1.Pod]{Registration: Registration[*corev1.Pod]{
		Targets: TargetsFunc[*corev1.Pod](func(context.Context, *corev1.Pod) (client.Reader, error) {
			asked.Add(1)
			return nil, errTest
		}),
		Parent: func(context.Context, *corev1.Pod) (client.Object, error) { return nil, errors.New("it is gone") },
	}}
	fine := CheckFunc[*corev1.Pod](func(context.Context, Input[*corev1.Pod]) (Result, error) {
		return Result{Status: True, Reason: "Fine"}, nil
	})
	tests := map[string]struct {
		needs           Needs
		reason, message string
	}{
		"none":       {NeedsSource, "Fine", ""},
		"the target": {NeedsTarget, ReasonTargetUnavailable, "check c: reaching the target cluster: no route"},
		"the parent": {NeedsParent, ReasonParentUnavailable, "check c: getting the parent: it is gone"},
	}
	run := run[*corev1.Pod]{timeout: time.Minute, around: r.surround(&corev1.Pod{}, &r.hung), poll: r.poll}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			conditions := ConditionChecks[*corev1.Pod]{Type: "Ready", Checks: []NamedCheck[*corev1.Pod]{{Name: "c", Check: fine, Needs: tt.needs}}}
			out := run.checkCondition(t.Context(), conditions, nil)
			if out.result.Reason != tt.reason || out.result.Message != tt.message {
				t.Errorf("got %+v, want %s, %q", out.result, tt.reason, tt.message)
			}
			if (out.err != nil) != (tt.message != "") {
				t.Errorf("the error to try again by is %v", out.err)
			}
		})
	}
	for range 3 {
		if _, err := run.around.env(t.Context(), NeedsTarget); err == nil {
			t.Error("the target is available")
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the target was asked for %d times in one run", asked.Load())
	}
}

// TestUnavailableAtFirstRead: there is a client for the target, but the first read fails.
func TestUnavailableAtFirstRead(t *testing.T) {
	check := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
		return Result{}, fmt.Errorf("getting deployment d: %w", &UnavailableError{Target: "n/k", Cause: "does not answer in time", Err: errTest})
	})
	out := bare(time.Minute).checkCondition(t.Context(), only(check), nil)
	want := Result{
		Status: Unknown, Reason: ReasonTargetUnavailable,
		Message: "check c: getting deployment d: cluster n/k does not answer in time",
	}
	if !errors.Is(out.err, errTest) {
		t.Errorf("error is %v", out.err)
	}
	if diff := cmp.Diff(want, out.result); diff != "" {
		t.Error(diff)
	}
}

// TestPrecheckNeeds: prechecks get what they need as checks do; an unmet need makes the condition Unknown.
func TestPrecheckNeeds(t *testing.T) {
	r := &Reconciler[*corev1.Pod]{Registration: Registration[*corev1.Pod]{
		Parent: func(context.Context, *corev1.Pod) (client.Object, error) { return nil, errTest },
	}}
	conditions := ConditionChecks[*corev1.Pod]{
		Type: "Ready", PrecheckNeeds: NeedsParent,
		Prechecks: []Precheck[*corev1.Pod]{func(context.Context, Input[*corev1.Pod]) (Applicability, error) { return Applies, nil }},
	}
	out := run[*corev1.Pod]{timeout: time.Minute, around: r.surround(&corev1.Pod{}, &r.hung), poll: r.poll}.checkCondition(t.Context(), conditions, nil)
	if want := "deciding whether Ready applies: getting the parent: no route"; text(out.err) != want {
		t.Errorf("error is %q, want %q", text(out.err), want)
	}
	if out.result.Status != Unknown || out.result.Reason != ReasonParentUnavailable {
		t.Errorf("got %+v, want Unknown and why", out.result)
	}
}

// TestSlots: slots limit how many checks run at once. A check that ignores its timeout gives its slot back
// anyway.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		add := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			running += n
			most = max(most, running)
		}
		counting := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
			add(1)
			<-time.After(time.Second)
			add(-1)
			return Result{Status: True, Reason: "R"}, nil
		})
		hangs := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
			<-time.After(time.Hour)
			return Result{Status: True, Reason: "R"}, nil
		})
		conditions := only(counting)
		for range 5 {
			conditions.Checks = append(conditions.Checks, NamedCheck[string]{Name: "c", Check: counting})
		}
		run := bare(3 * time.Second)
		run.slots = make(chan struct{}, 2)
		started := time.Now()
		if out := run.checkCondition(t.Context(), conditions, nil); out.result.Status != True {
			t.Errorf("got %+v", out.result)
		}
		if took := time.Since(started); most != 2 || took != 3*time.Second {
			t.Errorf("six checks of a second took %s, with %d at once; want 3s and 2", took, most)
		}
		for range 3 {
			if out := run.checkCondition(t.Context(), only(hangs), nil); out.result.Reason != ReasonCheckTimedOut {
				t.Errorf("got %+v", out.result)
			}
		}
		<-time.After(2 * time.Hour)
	})
}

// TestShutdownWhileWaitingForASlot: a shutdown ends the wait.
func TestShutdownWhileWaitingForASlot(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := bare(time.Minute)
	run.slots = make(chan struct{})
	check := CheckFunc[string](func(context.Context, Input[string]) (Result, error) { return Result{}, nil })
	out := run.checkCondition(ctx, only(check), nil)
	if !errors.Is(out.err, context.Canceled) {
		t.Errorf("the error is %v", out.err)
	}
}
