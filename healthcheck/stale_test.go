package healthcheck_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestNothingGetsStaleInSilence: what a check reads without a watch is checked periodically, unless SyncPeriod is Never.
func TestNothingGetsStaleInSilence(t *testing.T) {
	type registration = healthcheck.Registration[*Widget]
	needs := func(needs healthcheck.Needs) func(*registration) {
		return func(r *registration) { r.Conditions[0].Checks[0].Needs = needs }
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
