package healthcheck_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// counting counts how often conditions are written.
type counting struct {
	healthcheck.Store[*Widget]

	writes *atomic.Int32
}

// Apply implements healthcheck.Store.
func (c counting) Apply(ctx context.Context, widget *Widget, conditions []healthcheck.Condition) error {
	c.writes.Add(1)
	return c.Store.Apply(ctx, widget, conditions)
}

// counted makes a harness count its writes.
func (f *harness) counted() *atomic.Int32 {
	writes := &atomic.Int32{}
	f.Store = counting{f.Store, writes}
	return writes
}

// unstable gives another message in each run, like a network error with the local port.
func (f *harness) unstable() *atomic.Int32 {
	runs := &atomic.Int32{}
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return result(healthcheck.False, "Unreachable", fmt.Sprintf("127.0.0.1:%d: connection refused", runs.Add(1))), nil
	})
	return runs
}

// TestMessagesAloneAreWrittenNowAndThen: a message that differs each time must not make the engine run after its own writes.
func TestMessagesAloneAreWrittenNowAndThen(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	writes, runs := f.counted(), f.unstable()
	for second := range 20 {
		f.clock.SetTime(in(time.Duration(second) * time.Second))
		f.reconcile(t)
		if again := f.reconcile(t).RequeueAfter; second > 0 && (again <= 0 || again > 10*time.Second) {
			t.Errorf("after %ds it is looked at again in %s, want when the message may be written", second, again)
		}
	}
	// The first verdict, its first change, and one change ten seconds later.
	if got := writes.Load(); got != 3 {
		t.Errorf("%d writes in 20 seconds and %d runs, want 3", got, runs.Load())
	}
	f.clock.SetTime(in(20 * time.Second))
	f.reconcile(t)
	if got, want := f.stored(t).Status.Conditions[0].Message, fmt.Sprintf("127.0.0.1:%d: connection refused", runs.Load()); got != want {
		t.Errorf("in the end %q is stored, want %q", got, want)
	}
}

// TestMessagesDelayNothingElse: a change of the status is written at once, with its message.
func TestMessagesDelayNothingElse(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "Broken", "one"))
	f.reconcile(t)
	for _, given := range []healthcheck.Result{
		result(healthcheck.False, "Broken", "two"), result(healthcheck.True, "Fine", "three"), result(healthcheck.True, "Better", "four"),
	} {
		f.result = given
		f.reconcile(t)
		if got := f.stored(t).Status.Conditions[0]; got.Message != given.Message {
			t.Errorf("stored %+v, want %+v", got, given)
		}
	}
	// Nothing is remembered for a new object of the same name.
	if err := f.env.Client.Delete(t.Context(), f.widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	f.widget = &Widget{ObjectMeta: f.widget.ObjectMeta}
	f.widget.ResourceVersion, f.widget.UID = "", ""
	if err := f.env.Client.Create(t.Context(), f.widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	f.result.Message = "five"
	f.reconcile(t)
	if got := f.stored(t).Status.Conditions[0].Message; got != "five" {
		t.Errorf("the message is %q, want that of now", got)
	}
}

// TestManagerComesToRestWhateverChecksSay limits the writes of a controller whose check returns another message each time.
func TestManagerComesToRestWhateverChecksSay(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	writes, _ := f.counted(), f.unstable()
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition, r.MinInterval, r.SyncPeriod = nil, 10*time.Millisecond, 20*time.Millisecond
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	g.Eventually(writes.Load, patience).Should(BeNumerically(">=", 2))
	g.Consistently(writes.Load, "1s").Should(BeNumerically("<=", 2), "the first verdict, and another message")
}

// TestManagerComesToRestWhateverTheReason limits the writes of a controller whose check returns another reason each time, for
// example the first problem in a map.
func TestManagerComesToRestWhateverTheReason(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	writes := f.counted()
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition, r.MinInterval, r.SyncPeriod = nil, 10*time.Millisecond, 20*time.Millisecond
	var runs atomic.Int32
	r.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return result(healthcheck.False, fmt.Sprintf("Broken%d", runs.Add(1)%2), ""), nil
	})
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	g.Eventually(runs.Load, patience).Should(BeNumerically(">=", 20))
	g.Consistently(writes.Load, 2*time.Second).Should(BeNumerically("<=", 4), "the first verdict, and three other reasons")
}

// TestMessageIsNotUTF8: a message that was cut in the middle of a letter is written once.
func TestMessageIsNotUTF8(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.False, Reason: "R0", Message: "\xff broken"})
	counted := f.counted()
	for range 10 {
		f.reconcile(t)
		f.clock.SetTime(f.clock.Now().Add(time.Minute))
	}
	if writes := counted.Load(); writes != 1 {
		t.Errorf("%d writes in ten looks, and nothing has changed", writes)
	}
}

// TestGaugeOfAReasonPutOff: the gauges show the stored reason while the write of another one is put off.
func TestGaugeOfAReasonPutOff(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.False})
	f.Name = t.Name()
	for n := range 5 {
		f.result.Reason = []string{"Disk", "Net"}[n%2]
		f.reconcile(t)
	}
	stored := f.stored(t).Status.Conditions[0]
	gauges(t, f.Name, map[string][2]int64{"Healthy False " + stored.Reason: {1, 0}})
}
