package healthcheck_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/looks"
)

// TestNothingGetsStaleInSilence: what a check reads without a watch is checked periodically, unless SyncPeriod is Never.
func TestNothingGetsStaleInSilence(t *testing.T) {
	type registration = healthcheck.Registration[*Widget]
	needs := func(needs healthcheck.Needs) func(*registration) {
		return func(r *registration) { r.Conditions[0].Checks[0].Needs = needs }
	}
	polls := func(every time.Duration) func(*registration) {
		return func(r *registration) { r.Conditions[0].Checks[0].Poll = every }
	}
	watches := func(r *registration) { r.Watches = []healthcheck.Watch{{Object: &corev1.ConfigMap{}}} }
	tests := map[string]struct {
		changes []func(*registration)
		want    time.Duration
	}{
		"the object alone":          {nil, 0},
		"a source":                  {[]func(*registration){needs(healthcheck.NeedsSource)}, 30 * time.Second},
		"a source with watches":     {[]func(*registration){needs(healthcheck.NeedsSource), watches}, 0},
		"a parent":                  {[]func(*registration){needs(healthcheck.NeedsParent)}, 30 * time.Second},
		"a parent with watches":     {[]func(*registration){needs(healthcheck.NeedsParent), watches}, 0},
		"a target":                  {[]func(*registration){needs(healthcheck.NeedsTarget)}, 30 * time.Second},
		"a target, asked often":     {[]func(*registration){needs(healthcheck.NeedsTarget), polls(5 * time.Second)}, 5 * time.Second},
		"a target, asked seldom":    {[]func(*registration){needs(healthcheck.NeedsTarget), polls(time.Hour)}, time.Hour},
		"a target, and a period":    {[]func(*registration){needs(healthcheck.NeedsTarget), polls(time.Minute), func(r *registration) { r.SyncPeriod = time.Hour }}, time.Hour},
		"a target and watches here": {[]func(*registration){needs(healthcheck.NeedsTarget), watches}, 30 * time.Second},
		"a source with more watches": {[]func(*registration){needs(healthcheck.NeedsSource), func(r *registration) {
			r.MoreWatches = func(controller.Controller) error { return nil }
		}}, 0},
		"a precheck": {[]func(*registration){func(r *registration) { r.Conditions[0].PrecheckNeeds = healthcheck.NeedsSource }}, 30 * time.Second},
		"never":      {[]func(*registration){needs(healthcheck.NeedsTarget), func(r *registration) { r.SyncPeriod = healthcheck.Never }}, 0},
		"a period":   {[]func(*registration){needs(healthcheck.NeedsTarget), func(r *registration) { r.SyncPeriod = time.Hour }}, time.Hour},
	}
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	plain := f.Registration
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f.Registration = plain
			f.Conditions = []healthcheck.ConditionChecks[*Widget]{{Type: "Healthy", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "answer", Check: f.check()}}}}
			f.Targets = healthcheck.TargetsFunc[*Widget](func(context.Context, *Widget) (client.Reader, error) { return f.env.Client, nil })
			f.Parent = func(_ context.Context, widget *Widget) (client.Object, error) { return widget, nil }
			for _, change := range tt.changes {
				change(&f.Registration)
			}
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			if got := f.reconcile(t).RequeueAfter; got < tt.want || got > tt.want+tt.want/10 {
				t.Errorf("it is looked at again after %s, want %s, give or take a tenth", got, tt.want)
			}
		})
	}
}

// TestLonePoll: a look that is due for another reason does not run a check sooner than its Poll says, even if it is the only one.
func TestLonePoll(t *testing.T) {
	for name, tt := range map[string]struct {
		poll, at time.Duration
		found    healthcheck.Status
		runs     int
	}{
		"seldom, and a sync period is over": {time.Hour, 33 * time.Second, healthcheck.True, 1},
		"seldom, and its time is up":        {time.Hour, 66 * time.Minute, healthcheck.True, 2},
		"seldom, and something is wrong":    {time.Hour, 33 * time.Second, healthcheck.False, 2},
		"often":                             {5 * time.Second, 6 * time.Second, healthcheck.True, 2},
		"often, and it is too early":        {5 * time.Second, 4 * time.Second, healthcheck.True, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, runs := newHarness(t, result(tt.found, "Found", "")), 0
			f.Targets = healthcheck.TargetsFunc[*Widget](func(context.Context, *Widget) (client.Reader, error) { return f.env.Client, nil })
			check := f.check()
			counted := healthcheck.CheckFunc[*Widget](func(ctx context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
				runs++
				return check.Check(ctx, in)
			})
			f.Conditions = []healthcheck.ConditionChecks[*Widget]{{Type: "Healthy", Checks: []healthcheck.NamedCheck[*Widget]{
				{Name: "answer", Check: counted, Needs: healthcheck.NeedsTarget, Poll: tt.poll},
			}}}
			f.reconcile(t)
			f.clock.SetTime(in(tt.at))
			if _, err := f.Reconcile(looks.OnTimer(t.Context(), looks.Timer{}), f.request()); err != nil {
				t.Fatal(err)
			}
			if runs != tt.runs {
				t.Errorf("it ran %d times, want %d", runs, tt.runs)
			}
		})
	}
}
