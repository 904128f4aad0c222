package healthcheck_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/looks"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// tally counts the runs of checks, which run side by side.
type tally struct {
	mu   sync.Mutex
	runs map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[string]int{}
	}
	c.runs[name]++
}

// take returns the runs since it was called last.
func (c *tally) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	runs := c.runs
	c.runs = map[string]int{}
	return runs
}

// tallied returns a check that counts its runs and gives the answer of the moment.
func tallied(name string, runs *tally, answer func() (healthcheck.Result, error)) healthcheck.NamedCheck[*Widget] {
	return healthcheck.NewCheck(name, func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		runs.add(name)
		return answer()
	})
}

// TestChecksRunForTheirOwnSake: a look that is due because of one check does not run the others, in the same condition or in
// another. An event runs them all, except within an Interval.
func TestChecksRunForTheirOwnSake(t *testing.T) {
	fine := result(healthcheck.True, "Fine", "")
	var (
		rechecked = healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: in(time.Hour)}
		failing   error
		runs      = &tally{}
	)
	probe := tallied("probe", runs, says(fine, nil))
	probe.Interval = time.Minute
	f := inMemory(t,
		healthcheck.NewCondition("Open", probe, tallied("beside", runs, says(fine, nil))),
		healthcheck.NewCondition("Other", tallied("other", runs, says(fine, nil))),
		healthcheck.NewCondition("Timed", tallied("timed", runs, func() (healthcheck.Result, error) { return rechecked, nil })),
		healthcheck.NewCondition("Failing", tallied("failing", runs, func() (healthcheck.Result, error) { return fine, failing })),
		healthcheck.NewCondition("Moving", tallied("moving", runs, says(healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Within: 2 * time.Hour}, nil))),
	)
	step := func(what string, at time.Duration, ctx context.Context, want map[string]int) {
		t.Helper()
		runs.take()
		f.clock.SetTime(in(at))
		_, _ = f.Reconcile(ctx, f.request())
		if diff := cmp.Diff(want, runs.take()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	event, timer := t.Context(), looks.OnTimer(t.Context(), looks.Timer{})
	all := map[string]int{"probe": 1, "beside": 1, "other": 1, "timed": 1, "failing": 1, "moving": 1}
	step("the first look", 0, timer, all)
	step("the interval", time.Minute, timer, map[string]int{"probe": 1})
	step("the next", 2*time.Minute, timer, map[string]int{"probe": 1})
	failing = errCheck
	step("an event", 2*time.Minute+time.Second, event, map[string]int{"beside": 1, "other": 1, "timed": 1, "failing": 1, "moving": 1})
	step("a retry", 2*time.Minute+2*time.Second, timer, map[string]int{"failing": 1})
	failing = nil
	step("a recheck time", time.Hour, timer, map[string]int{"timed": 1, "failing": 1, "probe": 1})
	step("a deadline", 2*time.Hour, timer, map[string]int{"moving": 1, "probe": 1})
	if got := f.kept()["Moving"]; got != healthcheck.False {
		t.Errorf("after its deadline it is %s", got)
	}
	widget := f.stored(t)
	widget.Generation++
	if err := f.writer.Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	step("another generation", 2*time.Hour+time.Second, timer, all)
}

// TestOnlyTheUnwatchedIsPolled: a check is asked again without an event only if no event would announce a change.
func TestOnlyTheUnwatchedIsPolled(t *testing.T) {
	status := healthcheck.True
	runs := &tally{}
	reading := func(name string, needs healthcheck.Needs, poll time.Duration, kinds ...string) healthcheck.ConditionChecks[*Widget] {
		check := tallied(name, runs, func() (healthcheck.Result, error) { return healthcheck.Result{Status: status, Reason: "Found"}, nil })
		check.Needs, check.Reads, check.Poll = needs, kinds, poll
		return healthcheck.NewCondition(name, check)
	}
	sets, metadata := healthcheck.Watch{Object: &appsv1.StatefulSet{}}, healthcheck.Watch{Object: &metav1.PartialObjectMetadata{}}
	metadata.Object.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	for name, tt := range map[string]struct {
		watches []healthcheck.Watch
		period  time.Duration
		status  healthcheck.Status
		want    map[string]int
	}{
		"nothing is watched": {nil, 0, healthcheck.True, map[string]int{"set": 21, "secret": 1, "target": 21, "any": 21}},
		"sets are watched":   {[]healthcheck.Watch{sets}, 0, healthcheck.True, map[string]int{"secret": 1, "target": 21}},
		"both are watched":   {[]healthcheck.Watch{sets, metadata}, 0, healthcheck.True, map[string]int{"target": 21}},
		"it is not healthy":  {[]healthcheck.Watch{sets}, 0, healthcheck.False, map[string]int{"secret": 21, "target": 21}},
		"it does not count":  {[]healthcheck.Watch{sets}, 0, healthcheck.Skipped, map[string]int{"secret": 1, "target": 21}},
		"all are asked":      {[]healthcheck.Watch{sets}, 5 * time.Minute, healthcheck.True, map[string]int{"set": 2, "secret": 2, "target": 2, "any": 2, "pure": 2}},
		"never":              {nil, healthcheck.Never, healthcheck.True, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := inMemory(t, reading("set", healthcheck.NeedsSource, 0, "StatefulSet"), reading("secret", healthcheck.NeedsSource, 10*time.Minute, "Secret"),
				reading("target", healthcheck.NeedsTarget, 0), reading("any", healthcheck.NeedsSource, 0), reading("pure", 0, 0))
			f.Watches, f.SyncPeriod, status = tt.watches, tt.period, tt.status
			f.Targets = healthcheck.TargetsFunc[*Widget](func(context.Context, *Widget) (client.Reader, error) { return f.writer, nil })
			f.reconcile(t)
			runs.take()
			// Each look is up to a tenth late.
			for at := time.Duration(0); at <= 11*time.Minute; at += 33 * time.Second {
				f.clock.SetTime(in(at + 33*time.Second))
				if _, err := f.Reconcile(looks.OnTimer(t.Context(), looks.Timer{}), f.request()); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, runs.take()); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManagerTellsTimersFromEvents: under a manager, a check beside a probe runs at events alone.
func TestManagerTellsTimersFromEvents(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	var probes, besides atomic.Int32
	fine := result(healthcheck.True, "Fine", "")
	counts := func(n *atomic.Int32) healthcheck.CheckFunc[*Widget] {
		return func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			n.Add(1)
			return fine, nil
		}
	}
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition, r.MinInterval = nil, 10*time.Millisecond
	r.Conditions[0].Checks = []healthcheck.NamedCheck[*Widget]{
		{Name: "probe", Check: counts(&probes), Interval: 50 * time.Millisecond}, {Name: "beside", Check: counts(&besides)},
	}
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	g.Eventually(probes.Load, patience).Should(BeNumerically(">=", 10))
	g.Expect(besides.Load()).To(BeEquivalentTo(1))
	widget := f.stored(t)
	widget.Status.Findings = []Finding{{Kind: "Other"}}
	g.Expect(f.env.Client.Status().Update(t.Context(), widget)).To(Succeed())
	g.Eventually(besides.Load, patience).Should(BeEquivalentTo(2))
	g.Consistently(besides.Load, "1s").Should(BeEquivalentTo(2))
}
