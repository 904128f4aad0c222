package healthcheck_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestLooksAtRest: while nothing changes, the engine looks at an object only when a check is due, and at all checks that are due
// together in one look.
func TestLooksAtRest(t *testing.T) {
	fine := result(healthcheck.True, "Fine", "")
	named := func(name string, needs healthcheck.Needs, poll, interval time.Duration, reads ...string) healthcheck.NamedCheck[*Widget] {
		return healthcheck.NamedCheck[*Widget]{
			Name: name, Needs: needs, Poll: poll, Interval: interval, Reads: reads,
			Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return fine, nil }),
		}
	}
	watched := named("set", healthcheck.NeedsSource, 0, 0, "StatefulSet")
	certificate := named("certificate", healthcheck.NeedsSource, 10*time.Minute, 0, "Secret")
	probe := named("probe", 0, 0, time.Minute)
	type checks = []healthcheck.NamedCheck[*Widget]
	for name, tt := range map[string]struct {
		checks      checks
		period      time.Duration
		needs       healthcheck.Needs
		least, most int
	}{
		"what is watched":                       {checks{watched}, 0, 0, 0, 0},
		"a certificate":                         {checks{certificate}, 0, 0, 2, 3},
		"a certificate, and what is watched":    {checks{certificate, watched}, 0, 0, 2, 3},
		"a probe":                               {checks{probe}, 0, 0, 30, 30},
		"a probe and a certificate":             {checks{probe, certificate}, 0, 0, 31, 33},
		"a target":                              {checks{named("target", healthcheck.NeedsTarget, 0, 0)}, 0, 0, 54, 60},
		"three checks of a target, at one time": {checks{named("a", healthcheck.NeedsTarget, 0, 0), named("b", healthcheck.NeedsTarget, 0, 0), named("c", healthcheck.NeedsTarget, 0, 0)}, 0, 0, 54, 60},
		"two certificates, at one time":         {checks{certificate, named("b", healthcheck.NeedsSource, 10*time.Minute, 0, "Secret")}, 0, 0, 2, 3},
		"a period":                              {checks{watched, certificate}, 5 * time.Minute, 0, 5, 6},
		"a period longer than an interval":      {checks{probe, watched}, 10 * time.Minute, 0, 31, 33},
		"a probe, without a period":             {checks{probe}, healthcheck.Never, 0, 30, 30},
		"no period":                             {checks{certificate}, healthcheck.Never, 0, 0, 0},
		"a precheck of what is not watched":     {checks{watched}, 0, healthcheck.NeedsTarget, 54, 60},
	} {
		t.Run(name, func(t *testing.T) {
			looks, runs := 0, 0
			if tt.checks[0].Name == "set" {
				tt.checks[0].Check = healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
					runs++
					return fine, nil
				})
			}
			kit := healthchecktest.New(t, healthcheck.Registration[*Widget]{
				Name: "widgets", SyncPeriod: tt.period, PrecheckNeeds: tt.needs, Watches: []healthcheck.Watch{{Object: &appsv1.StatefulSet{}}},
				Conditions: []healthcheck.ConditionChecks[*Widget]{healthcheck.NewCondition("Fine", tt.checks...)},
				Targets:    healthcheck.TargetsFunc[*Widget](func(context.Context, *Widget) (client.Reader, error) { return nil, nil }),
				Precheck: func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
					looks++
					return healthcheck.Applies, time.Time{}, nil
				},
			}, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w", Generation: 1}})
			kit.Run()
			looks, runs = 0, 0
			kit.Advance(30 * time.Minute)
			if looks < tt.least || looks > tt.most {
				t.Errorf("at rest it is looked at %d times in half an hour, want %d to %d", looks, tt.least, tt.most)
			}
			if runs > 0 && tt.period == 0 {
				t.Errorf("a check of what is watched runs %d times at rest", runs)
			}
		})
	}
}
